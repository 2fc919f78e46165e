//! The Worker's environment as the gateway's configuration.

use crate::gateway::{Config, ConfigError, Runtime};
use std::collections::{BTreeMap, BTreeSet};
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;
use worker::js_sys::{Array, JSON, Object};

/// Reads all variables, secrets and bindings.
///
/// # Errors
/// The first variable that is wrong.
pub(super) fn config(env: &Env) -> Result<Config, ConfigError> {
    let (mut vars, mut bindings) = (BTreeMap::new(), BTreeSet::new());
    let env: &JsValue = env.as_ref();
    for entry in Object::entries(env.unchecked_ref()).iter() {
        let entry: Array = entry.unchecked_into();
        let Some(name) = entry.get(0).as_string() else { continue };
        let value = entry.get(1);
        if let Some(text) = value.as_string() {
            vars.insert(name, text);
        } else if is_data(&value) {
            // Variables that wrangler.toml gives as tables or lists.
            if let Some(text) = JSON::stringify(&value).ok().and_then(|text| text.as_string()) {
                vars.insert(name, text);
            }
        } else {
            bindings.insert(name);
        }
    }
    Config::from_vars(&vars, &bindings, Runtime::Worker)
}

/// Numbers, booleans, lists and plain objects; bindings are instances of the runtime's classes.
fn is_data(value: &JsValue) -> bool {
    if !value.is_object() {
        return !value.is_function() && !value.is_undefined() && !value.is_null();
    }
    let prototype = Object::get_prototype_of(value);
    Array::is_array(value) || Object::is(&prototype, &Object::get_prototype_of(&Object::new()))
}
