//! What a quantity measures: the first unit of the table into which it converts.

use svc_contract::registry::{Cx, OpError};

use super::fend::evaluated;

const UNITS: [(&str, &str); 47] = [
    ("length", "m"),
    ("mass", "kg"),
    ("time", "s"),
    ("temperature", "K"),
    ("electric current", "A"),
    ("amount of substance", "mol"),
    ("luminous intensity", "cd"),
    ("information", "bit"),
    ("angle", "rad"),
    ("area", "m^2"),
    ("volume", "m^3"),
    ("speed", "m/s"),
    ("acceleration", "m/s^2"),
    ("frequency", "Hz"),
    ("force", "N"),
    ("pressure", "Pa"),
    ("energy", "J"),
    ("power", "W"),
    ("density", "kg/m^3"),
    ("surface density", "kg/m^2"),
    ("linear density", "kg/m"),
    ("momentum", "kg m/s"),
    ("angular momentum", "J s"),
    ("moment of inertia", "kg m^2"),
    ("volume flow", "m^3/s"),
    ("mass flow", "kg/s"),
    ("dynamic viscosity", "Pa s"),
    ("kinematic viscosity", "m^2/s"),
    ("surface tension", "N/m"),
    ("electric charge", "C"),
    ("voltage", "V"),
    ("electric resistance", "ohm"),
    ("electric conductance", "siemens"),
    ("capacitance", "A s/V"),
    ("inductance", "V s/A"),
    ("magnetic flux", "V s"),
    ("magnetic flux density", "tesla"),
    ("electric field", "V/m"),
    ("heat capacity", "J/K"),
    ("specific heat capacity", "J/kg/K"),
    ("thermal conductivity", "W/m/K"),
    ("heat flux", "W/m^2"),
    ("specific energy", "J/kg"),
    ("molar mass", "kg/mol"),
    ("concentration", "mol/m^3"),
    ("molar energy", "J/mol"),
    ("data rate", "bit/s"),
];

pub(super) fn of(quantity: &str, cx: &Cx) -> Result<&'static str, OpError> {
    if evaluated(&format!("({quantity}) to 1"), cx).is_ok() {
        // An angle is a number, too.
        let is_angle =
            ["deg", "°", "rad", "arcmin", "arcsec"].iter().any(|it| quantity.contains(it));
        return Ok(if is_angle { "angle" } else { "number" });
    }
    for (name, unit) in UNITS {
        cx.check()?;
        if evaluated(&format!("({quantity}) to {unit}"), cx).is_ok() {
            return Ok(name);
        }
    }
    Ok("other")
}
