//! Attributes of tests that are given their book, as `#[sqlx::test]` gives a pool of connections.

use proc_macro::TokenStream;
use quote::quote;

/// `#[test_with(World::each)] async fn name(w: &World<'_>)`: a test that awaits `World::each(name)`.
#[proc_macro_attribute]
pub fn test_with(runner: TokenStream, function: TokenStream) -> TokenStream {
    let runner = proc_macro2::TokenStream::from(runner);
    test(function, |name| quote! { #runner(#name).await; })
}

/// `#[test_each(Stage::each())] async fn name(s: Stage)`: a test of each stage that `Stage::each().await` has.
#[proc_macro_attribute]
pub fn test_each(stages: TokenStream, function: TokenStream) -> TokenStream {
    let stages = proc_macro2::TokenStream::from(stages);
    test(function, |name| quote! { for stage in #stages.await { #name(stage).await; } })
}

/// A test of the function's name that has the function within, and calls it so.
fn test(
    function: TokenStream,
    call: impl FnOnce(&proc_macro2::TokenStream) -> proc_macro2::TokenStream,
) -> TokenStream {
    let function = proc_macro2::TokenStream::from(function);
    let name = function.clone().into_iter().skip_while(|token| token.to_string() != "fn").nth(1);
    let name: proc_macro2::TokenStream = name.into_iter().collect();
    let call = call(&name);
    let test = quote! {
        #[::tokio::test]
        async fn #name() {
            #function
            #call
        }
    };
    test.into()
}
