//! Settings, keys and devices.

use std::net::IpAddr;

use svc_contract::{
    registry::{Field as _, Params as _, params, record},
    value::{Text, Value},
};
use svc_service::{
    Fault,
    desk::{Device, Devices, KeyView, NewDevice, SettingsReply},
    tools,
};

use super::{
    super::{Input, Reply, Rest},
    get, named, ok, post,
};
use crate::rest::route::{Handle, Route};

params! {
    struct Changes {
        /// The settings to change; null resets one.
        config: Value,
    }
}

params! {
    struct KeyTest {
        /// The key.
        key: Text,
        /// The fingerprint of the device that it is used on.
        device_fingerprint: Option<Text> = None,
    }
}

record! {
    /// A device.
    struct DeviceReply {
        /// The device.
        device: Device,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let settings: fn() -> Value = || tools::output_schema(SettingsReply::SCHEME);
    vec![
        Route {
            statuses: &[401],
            ..post(
                "/apikey/validate",
                "Whether an API key is valid, and what for. Failures lock the caller out.",
                KeyTest::PARAMS,
                || tools::output_schema(KeyView::SCHEME),
                Handle::Io(|rest, input| Box::pin(validate(rest, input))),
            )
        },
        post(
            "/devices/register",
            "Registers a device of a user, at most five.",
            NewDevice::PARAMS,
            || tools::output_schema(DeviceReply::SCHEME),
            Handle::Io(|rest, input| {
                Box::pin(async move {
                    named("device", rest.desk()?.register_device(input.read()?).await?)
                })
            }),
        ),
        get(
            "/devices/{user_id}",
            "The devices of a user, the first one first.",
            || tools::output_schema(Devices::SCHEME),
            Handle::Blocking(|rest, input| ok(rest.desk()?.devices(input.part(0))?)),
        ),
        Route {
            statuses: &[],
            ..get(
                "/config",
                "The settings of the desktop.",
                settings,
                Handle::Blocking(|rest, _| ok(rest.desk()?.config()?)),
            )
        },
        Route {
            statuses: &[],
            ..post(
                "/config",
                "Changes some settings; null resets one.",
                Changes::PARAMS,
                settings,
                Handle::Io(|rest, input| {
                    Box::pin(async move {
                        let asked: Changes = input.read()?;
                        ok(rest.desk()?.configure(asked.config).await?)
                    })
                }),
            )
        },
    ]
}

async fn validate(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let KeyTest { key, device_fingerprint } = input.read()?;
    if let Some(it) = device_fingerprint
        && (it.len() != 64 || !it.bytes().all(|it| it.is_ascii_hexdigit()))
    {
        return Err(Fault::field("device_fingerprint", "expected 64 hexadecimal digits"));
    }
    // The desktop is reached from this machine only.
    let address = IpAddr::from([127, 0, 0, 1]);
    ok(rest.desk()?.validate_key(&key, address).await?)
}
