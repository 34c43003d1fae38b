//! Hostile expressions, and quantities in texts.

use std::sync::Arc;

use svc_contract::{
    registry::{Compute, Cx, Meter, Monitor},
    value::{Value, json},
};
use svc_host_os::test::TestHost;

use super::{Check, Infer, extract::Extract};

struct Quiet;

impl Monitor for Quiet {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

fn call<O: Compute>(mut args: Vec<Value>) -> Result<Value, String> {
    let cancel = tokio_util::sync::CancellationToken::new();
    let cx = Cx::new("test", Arc::new(TestHost::new()), cancel, Arc::new(Quiet), Meter::default());
    O::decode(&mut args).and_then(|it| it.run(&cx)).map_err(|it| it.message)
}

fn converted(quantity: &str, to: &str) -> Result<String, String> {
    call::<Infer>(vec![quantity.into(), to.into()]).map(|it| json::write(&it))
}

#[test]
fn conversions_are_exact() {
    for (quantity, to, expected) in [
        ("50 lb", "kg", r#"{"value":22.6796185,"exact":"22.6796185","unit":"kg"}"#),
        ("5 ft 3 in", "cm", r#"{"value":160.02,"exact":"160.02","unit":"cm"}"#),
        ("5 in * 2", "in", r#"{"value":10.0,"exact":"10","unit":"in"}"#),
        ("100 degF", "degC", r#"{"value":37.77777777777778,"exact":"340/9","unit":"degC"}"#),
        (
            "1 rad",
            "deg",
            r#"{"value":57.29577951308232,"exact":"≈ 57.29577951308232087679815","unit":"deg"}"#,
        ),
        (
            "sqrt(2) m",
            "m",
            r#"{"value":1.4142135623730954,"exact":"≈ 1.41421356237310","unit":"m"}"#,
        ),
        (
            "9.81 m/s²",
            "ft/min^2",
            r#"{"value":115866.14173228346,"exact":"14715000/127","unit":"ft/min^2"}"#,
        ),
        (
            "1e-28 m",
            "km",
            r#"{"value":1e-31,"exact":"0.0000000000000000000000000000001","unit":"km"}"#,
        ),
    ] {
        assert_eq!(converted(quantity, to).as_deref(), Ok(expected), "{quantity}");
    }
}

#[test]
fn letters_of_units_are_large_or_small() {
    for (quantity, to, expected) in [
        ("5 mW", "W", Ok(0.005)),
        ("5 MW", "W", Ok(5e6)),
        ("5 mw", "W", Err("`mw` in `quantity` may be `mW` or `MW`")),
        ("5 W", "mw", Err("`mw` in `to` may be `mW` or `MW`")),
        ("5 Mw", "W", Ok(5e6)),
        ("5 mpa", "Pa", Err("`mpa` in `quantity` may be `mPa` or `MPa`")),
        ("5 Mpa", "Pa", Ok(5e6)),
        ("5 gb", "GB", Err("`gb` in `quantity` may be `Gb` or `GB`")),
        ("5 mb", "bit", Err("the unit `mb` in `quantity` has several meanings")),
        ("5 KB", "B", Ok(5e3)),
        ("5 kwh", "J", Ok(18e6)),
        ("5 hz", "1/s", Ok(5.0)),
        ("5 nM", "m", Err("`nM` in `quantity` may be")),
        ("2 Nm", "J", Ok(2.0)),
        ("3 kNm", "J", Ok(3e3)),
        ("2 NM", "m", Ok(3704.0)),
        ("2 nm", "m", Ok(2e-9)),
        ("2 T", "Wb/m^2", Ok(2.0)),
        ("3 mT", "tesla", Ok(0.003)),
        ("2 t", "kg", Ok(2e3)),
        ("2 T", "kg", Err("cannot convert from T to kg")),
        ("3 THz", "Hz", Ok(3e12)),
        ("3 TB", "GB", Ok(3e3)),
        ("1 mbar", "hPa", Ok(1.0)),
        ("5 °C/s", "K/min", Ok(300.0)),
        ("5 a", "s", Err("the unit `a` in `quantity` has several meanings")),
        ("20 degrees C", "°F", Ok(68.0)),
        ("68 deg F", "degC", Ok(20.0)),
        ("68 degrees Fahrenheit", "celsius", Ok(20.0)),
        ("20 ° C", "K", Ok(293.15)),
        ("180 degrees", "rad", Ok(std::f64::consts::PI)),
        ("12 fl oz", "floz", Ok(12.0)),
        ("1 Cal", "J", Ok(4184.0)),
        ("1 cal", "J", Ok(4.184)),
        ("2000 Cal", "kcal", Ok(2000.0)),
        ("350 kcal a day", "kcal/day", Ok(350.0)),
        ("3 km a week", "m/week", Ok(3e3)),
        ("6.5 L/100 km", "L/km", Ok(0.065)),
        ("0 bar", "Pa", Ok(0.0)),
    ] {
        let found = call::<Infer>(vec![quantity.into(), to.into()]);
        match expected {
            Ok(expected) => {
                let found = found.unwrap_or_else(|err| panic!("{quantity}: {err}"));
                let found = found.as_record().unwrap().get("value").cloned();
                assert_eq!(found, Some(Value::Float(expected)), "{quantity}");
            }
            Err(expected) => {
                let found = found.unwrap_err();
                assert!(found.starts_with(expected), "{quantity}: {found}");
            }
        }
    }
}

#[test]
fn what_is_not_a_quantity_is_refused_at_once() {
    for (quantity, to, expected) in [
        ("5 USD", "EUR", "currencies are not converted, as their rates change"),
        ("2^100000", "1", "an exponent in `quantity` is too large (limit 999)"),
        ("9^9^9", "1", "the expression takes too long"),
        ("1e9!", "1", "expected a quantity, found `!` at letter 4 of `quantity`"),
        ("x = 5 m", "m", "expected a quantity, found `=` at letter 3 of `quantity`"),
        ("d20", "1", "expected a quantity"),
        ("5 m", "", "expected a text for `to`, found none"),
        ("10 °C - 5 °C", "K", "`quantity` adds or subtracts temperatures of a scale"),
        ("2,5 kg", "g", "expected three digits behind each comma of `2,5` in `quantity`"),
        ("1.000,5 m", "m", "expected three digits behind each comma of `1.000,5` in `quantity`"),
        ("0x10 m", "m", "expected a decimal number, found `0x10` in `quantity`"),
        ("0b11 m", "m", "expected a decimal number, found `0b11` in `quantity`"),
        ("1,0000 m", "m", "expected three digits behind each comma of `1,0000` in `quantity`"),
    ] {
        let found = converted(quantity, to).unwrap_err();
        assert!(found.starts_with(expected), "{quantity}: {found}");
    }
    let long = "1+".repeat(400);
    assert!(converted(&long, "m").unwrap_err().contains("expected 1 to 500 bytes"));
}

#[test]
fn dimensions_have_names() {
    for (quantity, expected) in [
        ("12", "number"),
        ("3 kN", "force"),
        ("5 psi", "pressure"),
        ("60 W * 8 hours", "energy"),
        ("2 kg/m^3", "density"),
        ("90 deg", "angle"),
        ("5 m^7", "other"),
        ("100 Mbit/s", "data rate"),
        ("5 dyne", "force"),
        ("3 kΩ", "electric resistance"),
        ("2 Å", "length"),
    ] {
        let found = call::<Check>(vec![quantity.into()]).unwrap();
        let expected = format!(r#"{{"ok":true,"dimension":"{expected}","error":null}}"#);
        assert_eq!(json::write(&found), expected, "{quantity}");
    }
}

#[test]
fn quantities_are_found_where_they_stand() {
    for (text, expected) in [
        ("It ran 5 km/h, then -3.5 °C.", vec!["5|km/h|5 km/h", "-3.5|°C|-3.5 °C"]),
        ("a 10-foot pole and 1 250 kg", vec!["10|foot|10-foot", "1250|kg|1 250 kg"]),
        (
            "light: 3 × 10^8 m/s or 2.998e8 m/s",
            vec!["300000000|m/s|3 × 10^8 m/s", "299800000|m/s|2.998e8 m/s"],
        ),
        ("version 1.2.3 m, id A5 kg, 5 minutes", vec!["5|minutes|5 minutes"]),
        (
            "20%, 5 square miles, 3 m², 9.81 m/s^2",
            vec!["20|%|20%", "5|square miles|5 square miles", "3|m²|3 m²", "9.81|m/s^2|9.81 m/s^2"],
        ),
        ("5 in 10, 7 a day, 3 am, 4 apples, 6 months", vec!["6|months|6 months"]),
        (
            "60 miles per hour; 2 litres a day",
            vec!["60|miles per hour|60 miles per hour", "2|litres a day|2 litres a day"],
        ),
        ("pages 10-12 mm", vec!["12|mm|12 mm"]),
        (
            "10 l/min at 20 degrees C, 68 deg F, 20 ° C and 5 degrees cold",
            vec![
                "10|l/min|10 l/min",
                "20|degrees C|20 degrees C",
                "68|deg F|68 deg F",
                "20|° C|20 ° C",
                "5|degrees|5 degrees",
            ],
        ),
        (
            "90 min, 60 mph, 50 lbs. 5 Nm, 12 fl oz, 3 K/min, 30 deg, 5000 mAh",
            vec![
                "90|min|90 min",
                "60|mph|60 mph",
                "50|lbs|50 lbs",
                "5|Nm|5 Nm",
                "12|fl oz|12 fl oz",
                "3|K/min|3 K/min",
                "30|deg|30 deg",
                "5000|mAh|5000 mAh",
            ],
        ),
        (
            "1.5 kWh/m², 10 W/(m² K), 9.81 m s⁻², 2.5 t/ha, 5×10⁻³ mol/L",
            vec![
                "1.5|kWh/m²|1.5 kWh/m²",
                "10|W/(m² K)|10 W/(m² K)",
                "9.81|m s⁻²|9.81 m s⁻²",
                "2.5|t/ha|2.5 t/ha",
                "0.005|mol/L|5×10⁻³ mol/L",
            ],
        ),
        (
            "350 kcal a day, 3 km a week, 6.5 L/100 km, 2000 Cal",
            vec![
                "350|kcal a day|350 kcal a day",
                "3|km a week|3 km a week",
                "6.5|L/100 km|6.5 L/100 km",
                "2000|Cal|2000 Cal",
            ],
        ),
        ("the 1990s, 5 minutes' walk, 5 m's", vec!["5|minutes|5 minutes"]),
    ] {
        let found = call::<Extract>(vec![text.into()]).unwrap();
        let shown: Vec<String> = found
            .as_list()
            .unwrap()
            .iter()
            .map(|it| {
                let it = it.as_record().unwrap();
                let field = |name: &str| it.get(name).cloned().unwrap();
                let span = field("span");
                let span = span.as_record().unwrap();
                let Value::Float(value) = field("value") else { panic!("{it:?}") };
                format!(
                    "{value}|{}|{}",
                    field("unit").as_str().unwrap(),
                    span.get("text").unwrap().as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(shown, expected, "{text}");
    }
}
