//! Direct conversion of values to rhai: lists become arrays, records maps, null `()`.

use rhai::{Dynamic, ImmutableString, Map};
use svc_contract::value::{Value, units};

use super::{amount::Amount, limits};

/// The counted size of one argument.
#[derive(Default)]
struct Counts {
    items: usize,
    fields: usize,
    text: usize,
}

/// Converts a value to rhai, or returns why it is too large.
///
/// rhai measures a value at every change, so arguments must be well within its limits.
pub(super) fn enter(value: &Value) -> Result<Dynamic, String> {
    enter_part(value, &mut Counts::default(), limits::DEPTH)
}

fn enter_part(value: &Value, counts: &mut Counts, depth: usize) -> Result<Dynamic, String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(format!("nested deeper than {} levels", limits::DEPTH));
    };
    Ok(match value {
        Value::Null => Dynamic::UNIT,
        Value::Bool(it) => (*it).into(),
        Value::Int(it) => (*it).into(),
        // There is one zero.
        Value::Float(it) => (*it + 0.0).into(),
        Value::Text(it) | Value::Path(it) => {
            counts.text += it.len();
            counts.within()?;
            ImmutableString::from(it.as_ref()).into()
        }
        Value::Bytes(it) => {
            counts.items += it.len();
            counts.within()?;
            Dynamic::from_blob(it.to_vec())
        }
        Value::Duration(_) | Value::Time(_) | Value::Date(_) | Value::Money(_) | Value::Size(_) => {
            Dynamic::from(Amount(value.clone()))
        }
        Value::List(list) => {
            counts.items += list.len();
            counts.within()?;
            let items: Result<_, _> = list.iter().map(|it| enter_part(it, counts, depth)).collect();
            Dynamic::from_array(items?)
        }
        Value::Record(record) => {
            counts.fields += record.len();
            counts.within()?;
            let mut map = Map::new();
            for (name, it) in record.iter() {
                map.insert(name.as_ref().into(), enter_part(it, counts, depth)?);
            }
            Dynamic::from_map(map)
        }
        Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => {
            return Err(format!("a {}", value.kind()));
        }
    })
}

impl Counts {
    fn within(&self) -> Result<(), String> {
        if self.items > limits::ITEMS {
            return Err(format!("more than {} items", limits::ITEMS));
        }
        if self.fields > limits::FIELDS {
            return Err(format!("more than {} fields", limits::FIELDS));
        }
        if self.text > limits::TEXT {
            let most = units::show_size(limits::TEXT as u64);
            return Err(format!("more than {most} of text"));
        }
        Ok(())
    }
}
