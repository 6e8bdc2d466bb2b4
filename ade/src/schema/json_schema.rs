//! Writes a declaration back as JSON Schema 2020-12, the form in which the standard publishes it
//! (without descriptions): for `OpenAPI` documents and for the comparison with the official files.

use serde_json::{Map, Value, json};

use super::declaration::{Body, Declaration, Member, Scalar, Type, TypeKind};

impl Declaration {
    /// The schema; references are `prefix` followed by the official name, for instance with the
    /// prefix `#/components/schemas/`.
    #[must_use]
    pub fn json_schema(&self, prefix: &str) -> Value {
        match &self.body {
            Body::Codes(codes) => json!({"type": "string", "enum": codes}),
            Body::Scalar(Scalar::Text) => json!({"type": "string"}),
            Body::Scalar(Scalar::Date) => json!({"type": "string", "format": "date"}),
            Body::Scalar(Scalar::DateTime) => json!({"type": "string", "format": "date-time"}),
            Body::Variants { tag, cases } => {
                let cases: Vec<Value> = cases.iter().map(|(code, members)| case(tag, code, members, prefix)).collect();
                json!({"oneOf": cases})
            }
            Body::Members(members) if self.bases.is_empty() => object(members, prefix),
            Body::Members(members) => {
                let mut all: Vec<Value> =
                    self.bases.iter().map(|base| json!({"$ref": format!("{prefix}{base}")})).collect();
                if !members.is_empty() {
                    all.push(object(members, prefix));
                }
                json!({"allOf": all})
            }
        }
    }
}

fn object(members: &[Member], prefix: &str) -> Value {
    let typed = members.iter().filter_map(|member| Some((member, member.ty.as_ref()?)));
    let properties: Map<String, Value> = typed
        .map(|(member, ty)| {
            let mut schema = type_schema(ty, prefix);
            if member.deprecated
                && let Some(schema) = schema.as_object_mut()
            {
                schema.insert("deprecated".to_owned(), Value::Bool(true));
            }
            (member.name.to_owned(), schema)
        })
        .collect();
    let required: Vec<&str> = members.iter().filter(|m| m.required).map(|m| m.name).collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty()
        && let Some(schema) = schema.as_object_mut()
    {
        schema.insert("required".to_owned(), json!(required));
    }
    schema
}

/// One case of a selected object: the selecting member, then the members of the case.
fn case(tag: &'static str, code: &'static str, members: &[Member], prefix: &str) -> Value {
    let kind = TypeKind::OneOf(vec![code]);
    let ty = Some(Type { kind, nullable: false });
    let mut all = vec![Member { name: tag, also: None, required: true, deprecated: false, ty }];
    all.extend_from_slice(members);
    object(&all, prefix)
}

fn type_schema(ty: &Type, prefix: &str) -> Value {
    if let TypeKind::Named(name) = ty.kind {
        let reference = json!({"$ref": format!("{prefix}{name}")});
        return if ty.nullable { json!({"anyOf": [{"type": "null"}, reference]}) } else { reference };
    }
    let mut schema = match &ty.kind {
        TypeKind::Any | TypeKind::Named(_) => json!({}),
        TypeKind::Text { pattern, max_length } => {
            let mut schema = Map::from_iter([("type".to_owned(), json!("string"))]);
            schema.extend(pattern.map(|pattern| ("pattern".to_owned(), json!(pattern))));
            schema.extend(max_length.map(|max| ("maxLength".to_owned(), json!(max))));
            Value::Object(schema)
        }
        TypeKind::Uri => json!({"type": "string", "format": "uri"}),
        TypeKind::Number { minimum: Some(least) } => json!({"type": "number", "minimum": least}),
        TypeKind::Number { minimum: None } => json!({"type": "number"}),
        TypeKind::Integer => json!({"type": "integer"}),
        TypeKind::Boolean => json!({"type": "boolean"}),
        TypeKind::OneOf(codes) => json!({"type": "string", "enum": codes}),
        TypeKind::Object(members) => object(members, prefix),
        TypeKind::Array { items, min_items } => {
            let mut schema = json!({"type": "array", "items": type_schema(items, prefix)});
            if let (1.., Some(schema)) = (*min_items, schema.as_object_mut()) {
                schema.insert("minItems".to_owned(), json!(min_items));
            }
            schema
        }
    };
    if ty.nullable
        && let Some(kind) = schema.get_mut("type")
    {
        let plain = kind.take();
        *kind = json!([plain, "null"]);
    }
    schema
}
