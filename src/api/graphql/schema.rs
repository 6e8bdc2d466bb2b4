//! The schema as the library has it: for validation, introspection and the printed form. What is answered is read from
//! the same model by [`run`](super::run), level by level, so the resolvers here are never called.

use super::model::output::{DATE_TIME, EMAIL, JSON, JSON_OBJECT};
use super::model::{InputField, MUTATION, Model, QUERY};
use async_graphql::async_trait::async_trait;
use async_graphql::dynamic::{Enum, EnumItem, Field, FieldFuture, InputObject, InputValue, Object, Scalar, Schema};
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute};
use async_graphql::{Response, SDLExportOptions, Value};
use model::error::{Error, Result};
use model::record::time;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Levels that the library allows for a document; our own limit is checked before.
const LEVELS: usize = 128;

/// The schema of a model.
///
/// # Errors
/// [`Error::Internal`] when the model contradicts itself.
pub(super) fn schema(model: &Model) -> Result<Schema> {
    let mut builder = Schema::build(QUERY, Some(MUTATION), None)
        .limit_recursive_depth(LEVELS)
        .disable_suggestions()
        .extension(ValidationOnly);
    for scalar in scalars() {
        builder = builder.register(scalar);
    }
    for (name, object) in &model.objects {
        let mut made = Object::new(name);
        if !object.doc.is_empty() {
            made = made.description(&object.doc);
        }
        for (name, out) in &object.fields {
            let mut field = Field::new(name, out.ty.clone(), |_| FieldFuture::from_value(None));
            if !out.doc.is_empty() {
                field = field.description(&out.doc);
            }
            for arg in &out.args {
                field = field.argument(input(arg));
            }
            made = made.field(field);
        }
        builder = builder.register(made);
    }
    for (name, taken) in &model.inputs {
        let mut made = InputObject::new(name);
        if !taken.doc.is_empty() {
            made = made.description(&taken.doc);
        }
        for one in &taken.fields {
            made = made.field(input(one));
        }
        builder = builder.register(made);
    }
    for (name, choices) in &model.choices {
        let mut made = Enum::new(name);
        if !choices.doc.is_empty() {
            made = made.description(&choices.doc);
        }
        for (name, value) in &choices.items {
            let item = EnumItem::new(name);
            made = made.item(if name == value { item } else { item.description(format!("`{value}`")) });
        }
        builder = builder.register(made);
    }
    builder.finish().map_err(Error::internal)
}

pub(super) fn printed(schema: &Schema) -> String {
    let options = SDLExportOptions::new().prefer_single_line_descriptions();
    let text = schema.sdl_with_options(options);
    format!("{}\n", text.trim_end())
}

fn input(one: &InputField) -> InputValue {
    let value = InputValue::new(&one.name, one.ty.clone());
    match one.doc.as_str() {
        "" => value,
        doc => value.description(doc),
    }
}

fn scalars() -> [Scalar; 4] {
    let text = |value: &Value| matches!(value, Value::String(_) | Value::Null);
    [
        Scalar::new(DATE_TIME)
            .description("A point in time (RFC 3339), or a day, which is its beginning in UTC.")
            .validator(|value| match value {
                Value::String(text) => time::parse_filter(text).is_some(),
                value => matches!(value, Value::Null),
            }),
        Scalar::new(EMAIL).description("An email address.").validator(text),
        Scalar::new(JSON).description("Any JSON."),
        Scalar::new(JSON_OBJECT)
            .description("A JSON object.")
            .validator(|value| matches!(value, Value::Object(_) | Value::Null)),
    ]
}

/// The outcome of a request in the library.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) valid: AtomicBool,
    /// The library is to answer introspection.
    pub(super) introspects: bool,
}

/// Stops the library after validation, unless the schema itself is requested.
struct ValidationOnly;

impl ExtensionFactory for ValidationOnly {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait]
impl Extension for ValidationOnly {
    async fn execute(
        &self,
        ctx: &ExtensionContext<'_>,
        operation_name: Option<&str>,
        next: NextExecute<'_>,
    ) -> Response {
        let Some(verdict) = ctx.data_opt::<Arc<Verdict>>() else {
            return next.run(ctx, operation_name).await;
        };
        verdict.valid.store(true, Ordering::Relaxed);
        if verdict.introspects {
            return next.run(ctx, operation_name).await;
        }
        Response::new(Value::Null)
    }
}
