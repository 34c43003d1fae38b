//! The settings of the desktop.

use svc_contract::{
    registry::{Field as _, record},
    value::{Record, Text, Value, merge_patch},
};
use svc_store::book::{DeskAdded, DeskKind, DeskRow};

use super::{Desk, ResourceBounds, Thresholds, body, projects::test_bounds, quality, written};
use crate::{Fault, FieldFault, decode::of_fields};

/// The only row of its kind.
const ID: &str = "settings";

record! {
    /// The settings; null is the default.
    pub struct Settings {
        /// The port of the server; a free one by default.
        port: Option<u16>,
        /// The language model of sessions whose project names none.
        model: Option<Text>,
        /// The bounds of sessions whose project sets none.
        bounds: Option<ResourceBounds>,
        /// How long a session goes on, in seconds; a day by default.
        session_ttl_sec: Option<i64>,
        /// The least values of quality, where neither a session nor its project sets one.
        thresholds: Option<Thresholds>,
    }
}

record! {
    /// The settings after a change.
    pub struct SettingsReply {
        /// All of them.
        config: Settings,
        /// Counts their changes.
        version: i64,
        /// The settings that have changed.
        changed: Vec<Text>,
        /// Whether a change counts only after the next start.
        restart_required: bool,
    }
}

record! {
    /// What is kept of them.
    struct SettingsBody {
        /// The settings.
        config: Settings,
        /// Counts their changes.
        version: i64,
    }
}

const NONE: Settings =
    Settings { port: None, model: None, bounds: None, session_ttl_sec: None, thresholds: None };

impl Desk {
    /// The settings.
    pub fn settings(&self) -> Result<Settings, Fault> {
        Ok(self.kept_settings()?.config)
    }

    /// The settings with their version.
    pub fn config(&self) -> Result<SettingsReply, Fault> {
        let SettingsBody { config, version } = self.kept_settings()?;
        Ok(SettingsReply { config, version, changed: Vec::new(), restart_required: false })
    }

    /// Changes some settings; null resets one.
    pub async fn configure(&self, changes: Value) -> Result<SettingsReply, Fault> {
        let Value::Record(changes) = changes else {
            return Err(Fault::field("config", "expected an object of settings"));
        };
        // Tested before anything is kept.
        patched(&self.kept_settings()?.config, &changes)?;
        let mut row = self.new_row(
            DeskKind::Settings,
            ID.to_owned(),
            "",
            SettingsBody { config: NONE, version: 0 },
        );
        row.name = Some(ID.to_owned());
        let before = match self.add(row, (i64::MAX, &[])).await? {
            DeskAdded::Done(row) | DeskAdded::Taken(row) => body::<SettingsBody>(&row)?.config,
            DeskAdded::Full => NONE,
        };
        let row = self.change(DeskKind::Settings, ID, move |row| changed(row, &changes)).await?;
        let SettingsBody { config, version } = body(&row)?;
        let (old, new) = (before.encode(), config.clone().encode());
        let all = new.as_record().into_iter().flat_map(Record::iter);
        let is_other =
            |name: &Text, it: &Value| old.as_record().and_then(|old| old.get(name)) != Some(it);
        let changed: Vec<Text> =
            all.filter(|(name, it)| is_other(name, it)).map(|(name, _)| name.clone()).collect();
        let restart_required = changed.iter().any(|it| it.as_ref() == "port");
        Ok(SettingsReply { config, version, changed, restart_required })
    }

    fn kept_settings(&self) -> Result<SettingsBody, Fault> {
        let row = self.book().desk_row(self.owner(), DeskKind::Settings, ID)?;
        row.map_or(Ok(SettingsBody { config: NONE, version: 0 }), |it| body(&it))
    }
}

fn changed(row: &mut DeskRow, changes: &Record) -> Result<(), Fault> {
    let SettingsBody { config, version } = body(row)?;
    let before = config.clone().encode();
    let config = patched(&config, changes)?;
    if config.clone().encode() == before {
        return Ok(());
    }
    row.body = written(SettingsBody { config, version: version + 1 });
    Ok(())
}

/// Settings after changes, as a JSON merge patch (RFC 7396).
fn patched(before: &Settings, changes: &Record) -> Result<Settings, Fault> {
    let old = before.clone().encode();
    let known: Vec<Text> =
        old.as_record().into_iter().flat_map(Record::iter).map(|it| it.0.clone()).collect();
    let unknown = changes.iter().filter(|(name, _)| !known.contains(name));
    let unknown: Vec<FieldFault> = unknown
        .map(|(name, _)| FieldFault {
            field: format!("config.{name}"),
            message: format!("unknown setting `{name}`: there are {}", known.join(", ")),
        })
        .collect();
    if !unknown.is_empty() {
        return Err(of_fields(unknown));
    }
    let merged = merge_patch(old, &Value::Record(changes.clone()));
    let settings = merged
        .cast(&Settings::SCHEME.plain())
        .map_err(|misfit| Fault::field("config", misfit.within("config").to_string()))?;
    let settings = Settings::decode(settings)
        .ok_or_else(|| Fault::field("config", "a setting is out of its range"))?;
    test_bounds(settings.bounds.as_ref(), "config.bounds")?;
    quality::test(settings.thresholds.as_ref(), "config.thresholds")?;
    if settings.session_ttl_sec.is_some_and(|it| it < 1) {
        return Err(Fault::field("config.session_ttl_sec", "expected at least 1 second"));
    }
    Ok(settings)
}
