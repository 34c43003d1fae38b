//! The devices of users. A fingerprint is kept only as a hash with the pepper of the book.

use svc_contract::{
    registry::{choices, params, record},
    value::Text,
};
use svc_store::book::{DeskAdded, DeskFilter, DeskKind, DeskRow};

use super::{Desk, at, body, short, text, written};
use crate::{Fault, Why};

/// The most devices of a user.
const MOST: i64 = 5;

/// What the hash of a fingerprint is made for.
const PURPOSE: &str = "svc desktop fingerprints of devices";

choices! {
    /// The system of a device.
    pub enum Platform {
        Linux = "linux",
        Macos = "macos",
        Windows = "windows",
        Other = "other",
    }
}

record! {
    /// A device.
    pub struct Device {
        /// `dev_` and 26 signs.
        id: Text,
        /// Its name.
        name: Text,
        /// Its system.
        platform: Platform,
        /// `active`.
        state: Text,
        /// When it was registered.
        first_seen_at: Text,
        /// When it was registered again.
        last_seen_at: Text,
    }
}

record! {
    /// The devices of a user.
    pub struct Devices {
        /// The devices, the first one first.
        devices: Vec<Device>,
    }
}

params! {
    /// A device to be registered.
    pub struct NewDevice {
        /// Whose it is.
        pub user_id: Text,
        /// 64 hexadecimal digits.
        pub fingerprint: Text,
        /// Its name.
        pub name: Text,
        /// Its system.
        pub platform: Platform,
    }
}

record! {
    /// What is kept of a device.
    struct DeviceBody {
        /// Its name.
        name: Text,
        /// Its system.
        platform: Platform,
        /// When it was registered again.
        last_seen: i64,
    }
}

impl Desk {
    /// Registers a device, or notes that a known one was seen.
    pub async fn register_device(&self, new: NewDevice) -> Result<Device, Fault> {
        let user = short("user_id", &new.user_id, 128)?;
        let name = short("name", &new.name, 120)?;
        let is_hex = |it: u8| it.is_ascii_hexdigit();
        if new.fingerprint.len() != 64 || !new.fingerprint.bytes().all(is_hex) {
            return Err(Fault::field("fingerprint", "expected 64 hexadecimal digits"));
        }
        let tag = self.tag(&new.fingerprint);
        let now = self.now();
        let kept = DeviceBody { name: name.into(), platform: new.platform, last_seen: now };
        let mut row = self.new_row(DeskKind::Device, self.new_id("dev_"), &user, kept.clone());
        row.name = Some(tag);
        "active".clone_into(&mut row.state);
        match self.add(row, (MOST, &[])).await? {
            DeskAdded::Done(row) => view(&row),
            DeskAdded::Taken(row) => {
                let seen = self.change(DeskKind::Device, &row.id, move |row| {
                    row.body = written(kept.clone());
                    Ok(())
                });
                view(&seen.await?)
            }
            DeskAdded::Full => {
                let message = format!("`{user}` has {MOST} devices already");
                Err(Fault::new(Why::Conflict, message).help("use one of them"))
            }
        }
    }

    /// The devices of a user.
    pub fn devices(&self, user: &str) -> Result<Devices, Fault> {
        let of = DeskFilter { parent: Some(user.to_owned()), ..DeskFilter::default() };
        let rows = self.rows(DeskKind::Device, &of)?;
        if rows.is_empty() {
            return Err(Fault::not_found(format!("no device of `{user}` is registered")));
        }
        Ok(Devices { devices: rows.iter().map(view).collect::<Result<_, _>>()? })
    }

    fn tag(&self, fingerprint: &str) -> String {
        let key = self.book().pepper().derive(PURPOSE);
        let lower = fingerprint.to_ascii_lowercase();
        blake3::keyed_hash(&key, lower.as_bytes()).to_hex().to_string()
    }
}

fn view(row: &DeskRow) -> Result<Device, Fault> {
    let kept: DeviceBody = body(row)?;
    Ok(Device {
        id: text(&row.id),
        name: kept.name,
        platform: kept.platform,
        state: text(&row.state),
        first_seen_at: at(row.at),
        last_seen_at: at(kept.last_seen),
    })
}
