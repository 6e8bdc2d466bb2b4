//! What a collection does around its writes, without the signatures of [`model::registry::Hooks`].

/// Declares a unit struct with the given stages of [`model::registry::Hooks`]; each body is a future
/// with a `Result<()>`. A body that needs the collection names it first.
///
/// ```text
/// hooks!(Behaviour {
///     check(context, drafts) { check(context, drafts).await }
///     effects(collection, context, changes) { … }
/// });
/// ```
macro_rules! hooks {
    ($vis:vis $name:ident { $($stage:ident($($argument:ident),+) $body:block)+ }) => {
        #[derive(Debug)]
        $vis struct $name;

        impl ::model::registry::Hooks for $name {
            $(hooks!(@$stage ($($argument),+) $body);)+
        }
    };
    (@$stage:ident ($context:ident, $rows:ident) $body:block) => {
        hooks!(@$stage (_collection, $context, $rows) $body);
    };
    (@prepare $arguments:tt $body:block) => {
        hooks!(@prepare BookReader, [&mut [::model::registry::Draft]], $arguments $body);
    };
    (@check $arguments:tt $body:block) => {
        hooks!(@check BookReader, [&mut [::model::registry::Draft]], $arguments $body);
    };
    (@complete $arguments:tt $body:block) => {
        hooks!(@complete HookContext, [&mut [::model::registry::Draft]], $arguments $body);
    };
    (@effects $arguments:tt $body:block) => {
        hooks!(@effects HookContext, [&[::model::registry::Change]], $arguments $body);
    };
    (@recompute_pending $arguments:tt $body:block) => {
        hooks!(@recompute_pending HookContext, [&::model::registry::PendingRecompute], $arguments $body);
    };
    (@$stage:ident $book:ident, [& $($rows_type:tt)+], ($collection:ident, $context:ident, $rows:ident) $body:block) => {
        fn $stage<'a>(
            &'a self,
            $collection: &'static ::model::registry::Collection,
            $context: &'a mut dyn ::model::registry::$book,
            $rows: &'a $($rows_type)+,
        ) -> ::futures_util::future::BoxFuture<'a, ::model::error::Result<()>> {
            Box::pin(async move $body)
        }
    };
}
pub(super) use hooks;
