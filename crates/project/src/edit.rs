//! Changes of `svc.toml` that keep everything else as it is written.

use crate::{
    mcp::McpSettings,
    settings::{Settings, Source},
};

/// The settings with an API added at the end.
pub fn with_api(text: &str, name: &str, source: &Source) -> Result<String, String> {
    let (key, value) = match source {
        Source::File(file) => ("file", file),
        Source::Url(url) => ("url", url),
    };
    let value = toml::Value::from(value.as_str());
    with_table(text, &format!("[api.{name}]\n{key} = {value}\n"))
}

/// The settings with an MCP server added at the end.
pub fn with_server(text: &str, name: &str, server: &McpSettings) -> Result<String, String> {
    with_table(text, &format!("[mcp.{name}]\n{}", server.lines()))
}

fn with_table(text: &str, table: &str) -> Result<String, String> {
    let gap = if text.is_empty() || text.ends_with("\n\n") {
        ""
    } else if text.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    let text = format!("{text}{gap}{table}");
    Settings::read(&text)?;
    Ok(text)
}

/// The settings without an API.
pub fn without_api(text: &str, name: &str) -> Result<String, String> {
    without(text, "api", name)
}

/// The settings without an MCP server.
pub fn without_server(text: &str, name: &str) -> Result<String, String> {
    without(text, "mcp", name)
}

fn without(text: &str, kind: &str, name: &str) -> Result<String, String> {
    let own = |line: &str| {
        let header = line.trim().strip_prefix('[').and_then(|it| it.split_once(']'));
        header.map(|(header, _)| {
            let header = header.trim();
            let rest = header.strip_prefix(kind).and_then(|it| it.strip_prefix('.'));
            let rest = rest.and_then(|it| it.strip_prefix(name));
            rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
        })
    };
    let mut is_own = false;
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        is_own = own(line).unwrap_or(is_own);
        if !is_own {
            kept.push_str(line);
        }
    }
    let kept = format!("{}\n", kept.trim_end());
    match Settings::read(&kept) {
        Ok(settings) if !settings.api.contains_key(name) && !settings.mcp.contains_key(name) => {
            Ok(if kept.trim().is_empty() { String::new() } else { kept })
        }
        _ => Err(format!(
            "cannot remove `{name}` from the settings: its table is not `[{kind}.{name}]`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::{with_api, without_api};
    use crate::settings::Source;

    #[test]
    fn an_api_is_added_and_removed_and_the_rest_stays() {
        let before = "# Ours.\n[api.one]\nfile = 'one.json' # kept\n";
        let url = Source::Url("https://a.example/x.json".to_owned());
        let after = with_api(before, "two", &url).unwrap();
        let wanted = format!("{before}\n[api.two]\nurl = \"https://a.example/x.json\"\n");
        assert_eq!(after, wanted);
        assert_eq!(without_api(&after, "two").unwrap(), before);
        let more = format!("{after}\n[api.two.ops.x]\nprice = '$1'\n");
        assert_eq!(without_api(&more, "two").unwrap(), before);
        assert_eq!(without_api(before, "one").unwrap(), "# Ours.\n");
        assert!(without_api("api = { one = { file = 'a' } }", "one").is_err());
        assert!(with_api(before, "one", &url).is_err());
    }
}
