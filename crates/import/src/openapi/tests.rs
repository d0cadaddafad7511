use super::*;
use crate::recorded::{Body, Content};
use serde_json::json;
use std::collections::BTreeMap;

fn import(text: &str) -> Result<Recording, ImportError> {
    read(text, &options(&BTreeMap::new(), None))
}

fn options<'a>(variables: &'a BTreeMap<String, String>, server: Option<&'a str>) -> Options<'a> {
    Options { third_parties: false, variables, server, folder: "", read: &|_| Err("none".into()) }
}

fn parsed(body: &Text) -> Value {
    serde_json::from_str(&body.to_string()).unwrap()
}

const PETS: &str = r#"
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers:
  - url: https://{region}.pets.test/v1/
    variables: {region: {default: eu}}
security: [{apiKey: []}]
paths:
  /pets:
    parameters:
      - {name: X-Trace, in: header, schema: {type: string, example: t1}}
    get:
      operationId: listPets
      security: [{bearerAuth: []}]
      parameters:
        - {name: tags, in: query, required: true, schema: {type: array, minItems: 2, items: {type: string, enum: [a b, c]}}}
        - {name: limit, in: query, schema: {type: integer, default: 20}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: filter, in: query, style: deepObject, required: true, schema: {$ref: '#/components/schemas/Filter'}}
        - {name: sid, in: cookie, required: true, schema: {type: string}}
      responses: {'200': {description: ok}}
    post:
      operationId: addPet
      requestBody:
        content:
          application/xml: {schema: {type: string}}
          application/json: {schema: {$ref: '#/components/schemas/Pet'}}
      responses: {'201': {description: made}, '202': {description: taken}}
  /pets/{petId}/photo:
    parameters:
      - {name: petId, in: path, required: true, schema: {type: string, format: uuid}}
    put:
      security: [{basicAuth: []}]
      requestBody:
        content:
          multipart/form-data:
            schema: {type: object, properties: {note: {type: string, example: "a {{b}}"}, file: {type: string, format: binary}}}
      responses: {default: {description: any}}
    delete: {deprecated: true, responses: {}}
  /login:
    post:
      security: []
      requestBody:
        content:
          application/x-www-form-urlencoded:
            examples: {one: {value: {user: ann, password: "p&q"}}}
      responses: {'200': {description: ok}}
components:
  securitySchemes:
    apiKey: {type: apiKey, in: query, name: key}
    bearerAuth: {type: http, scheme: bearer}
    basicAuth: {type: http, scheme: basic}
  schemas:
    Filter: {type: object, properties: {min: {type: number, minimum: 2, exclusiveMinimum: true}}}
    Pet:
      allOf:
        - $ref: '#/components/schemas/New'
        - type: object
          properties:
            id: {type: integer, readOnly: true}
            friends: {type: array, items: {$ref: '#/components/schemas/Pet'}}
            born: {type: string, format: date}
    New:
      type: object
      properties: {name: {type: string, minLength: 9}, age: {type: integer, minimum: 3}, code: {type: string, pattern: '^x$'}}
"#;

#[test]
fn operations_become_steps_with_examples() {
    let recording = import(PETS).unwrap();
    let lines: Vec<String> = recording
        .requests
        .iter()
        .map(|request| format!("{} {} {}", request.name, request.method, request.url))
        .collect();
    assert_eq!(
        lines,
        [
            "listPets GET https://eu.pets.test/v1/pets?tags=a%20b&tags=a%20b&limit=20&filter%5Bmin%5D=2.5",
            "addPet POST https://eu.pets.test/v1/pets?key={{env:API_KEY}}",
            "PUT /pets/{petId}/photo PUT https://eu.pets.test/v1/pets/123e4567-e89b-42d3-a456-426614174000/photo",
            "POST /login POST https://eu.pets.test/v1/login",
        ]
    );
    let [list, add, photo, login] = recording.requests.as_slice() else { panic!() };
    let header = |request: &Recorded, name: &str| request.header(name).map(ToString::to_string);
    assert_eq!(header(list, "authorization").as_deref(), Some("Bearer {{env:BEARER_AUTH}}"));
    assert_eq!(
        (header(list, "x-trace").as_deref(), header(list, "cookie").as_deref()),
        (Some("t1"), Some("sid=example"))
    );
    let Body::Text(body) = &add.body else { panic!("{add:?}") };
    assert_eq!(
        parsed(body),
        json!({"age": 3, "born": "2026-01-02", "code": "example", "friends": [], "name": "exampleaa"})
    );
    assert_eq!((list.checks[0].as_str(), add.checks[0].as_str()), ("status == 200", "status < 400"));
    let Body::Multipart(parts) = &photo.body else { panic!("{photo:?}") };
    let part = |name: &str| parts.iter().find(|part| part.name == name).unwrap();
    assert_eq!(part("note").content, Content::Text("a {{b}}".into()));
    assert_eq!(part("file").filename.as_deref(), Some("file"));
    assert_eq!(
        photo.basic_auth.as_ref().unwrap().to_string(),
        "{{env:BASIC_AUTH_USER}}:{{env:BASIC_AUTH_PASSWORD}}"
    );
    let Body::Form(pairs) = &login.body else { panic!("{login:?}") };
    assert!(pairs.len() == 2 && pairs.contains(&("password".into(), "p&q".into())), "{pairs:?}");
    let dropped: Vec<String> = recording.dropped.iter().map(ToString::to_string).collect();
    assert_eq!(
        dropped,
        [
            "paths./pets.get: the parameters `page`: they are optional and have no example",
            "paths./pets/{petId}/photo.delete: the operation: it is deprecated",
            "the pattern `^x$`: texts are built without regard to patterns; write an example",
        ]
    );
    let plan = crate::plan(&recording).unwrap();
    assert_eq!(plan.scenarios[0].steps.len(), 4);
}

#[test]
fn version_3_1_in_json() {
    let text = r##"{"openapi": "3.1.0", "paths": {"/a/{ids}": {"post": {
        "parameters": [{"name": "ids", "in": "path", "schema": {"type": ["null", "array"], "items": {"const": 7}}}],
        "requestBody": {"$ref": "#/components/requestBodies/B"}}}, "/x": {"$ref": "#/components/pathItems/X"}},
        "webhooks": {},
        "components": {"requestBodies": {"B": {"content": {"application/problem+json": {"schema":
            {"type": "object", "properties": {"n": {"type": "integer", "exclusiveMinimum": 10}, "e": {"examples": ["E"]},
             "o": {"oneOf": [{"type": "null"}, {"type": "boolean"}]}, "m": {"additionalProperties": {"type": "number"}}}}}}}},
            "pathItems": {"X": {"get": {"responses": {"204": {}}}}}}}"##;
    let none = BTreeMap::new();
    let recording = read(text, &options(&none, Some("http://127.0.0.1:8080/api"))).unwrap();
    assert_eq!(recording.requests[0].url.plain(), Some("http://127.0.0.1:8080/api/a/7"));
    let Body::Text(body) = &recording.requests[0].body else { panic!() };
    assert_eq!(parsed(body), json!({"e": "E", "m": {"key": 1.0}, "n": 11, "o": true}));
    assert_eq!(recording.requests[1].url.plain(), Some("http://127.0.0.1:8080/api/x"));
    assert_eq!(recording.requests[1].checks, ["status == 204"]);
    assert_eq!(recording.dropped.len(), 1);
}

#[test]
fn schemas_without_end_are_cut() {
    let mut schemas = String::new();
    for number in 0..40 {
        let properties: Vec<String> = (0..40)
            .map(|other| {
                format!("\"p{other}\": {{\"$ref\": \"#/components/schemas/S{}\"}}", (number + other) % 40)
            })
            .collect();
        schemas.push_str(&format!("\"S{number}\": {{\"properties\": {{{}}}}},", properties.join(",")));
    }
    let text = format!(
        "{{\"openapi\": \"3.0.0\", \"paths\": {{\"/\": {{\"post\": {{\"requestBody\": {{\"content\": {{\"application/json\": {{\"schema\": \
         {{\"$ref\": \"#/components/schemas/S0\"}}}}}}}}}}}}}}, \"components\": {{\"schemas\": {{{schemas}\"Z\": {{\"$ref\": \"#/components/schemas/Z\"}}}}}}}}"
    );
    let none = BTreeMap::new();
    let recording = read(&text, &options(&none, Some("http://a.test"))).unwrap();
    let Body::Text(body) = &recording.requests[0].body else { panic!() };
    assert!((100..1_000_000).contains(&body.len()), "{}", body.len());
}

#[test]
fn what_is_no_document_is_refused() {
    for (text, expected) in [
        ("swagger: '2.0'", "this is Swagger 2.0"),
        ("a: 1", "openapi: an OpenAPI document names its version"),
        ("openapi: 3.0.0", "paths: the document has no operation"),
        ("openapi: 3.0.0\npaths: {/a: {get: {}}}", "servers: the document names no server"),
        (
            "openapi: 3.0.0\nservers: [{url: /v1}]\npaths: {/a: {get: {}}}",
            "servers: the document names no server",
        ),
        ("openapi: 3.0.0\n a: b: c", "line 2, column"),
    ] {
        let error = import(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}
