//! The components that a program can be compiled without, by the feature that adds them.

/// Every feature with the names of its components and aliases.
pub(super) const NAMES: &[(&str, &[&str])] = &[
    (
        "context-retrieval",
        &[
            "ctx_search",
            "search",
            "facets",
            "ctx_rag",
            "rag_retrieval",
            "verify",
            "ctx_rerank",
            "rerank",
            "ctx_summary",
            "summary",
            "ctx_docs",
            "docs_to_text",
            "markdown_to_html",
            "html_to_markdown",
            "markdown_outline",
            "markdown_links",
            "ctx_fetch",
            "fetch",
            "web_search",
            "crawl",
            "feed",
            "robots",
            "ctx_office",
            "read_office",
            "sheet",
            "ctx_pdf",
            "read_pdf",
            "pdf_tables",
            "ctx_scrape",
            "article",
            "html_tables",
            "page_metadata",
            "select_html",
            "context_engine",
            "pack",
            "count_tokens",
            "dedupe",
            "ctx_vectors",
            "vectors",
            "by_meaning",
            "ctx_nlp",
            "analyze",
            "detect_language",
            "readability",
            "spell",
        ],
    ),
    (
        "agents-llm",
        &[
            "llm_router",
            "ask",
            "agent_react",
            "agent",
            "agent_mcp",
            "mcp_call",
            "mcp_connect",
            "mcp_tools",
            "mcp_drift",
        ],
    ),
    ("code-intelligence", &["adapt_diff", "diff", "merge_texts", "apply_patch"]),
    (
        "data-processing",
        &[
            "adapt_convert",
            "convert",
            "parse_yaml",
            "to_yaml",
            "parse_toml",
            "parse_xml",
            "adapt_dataframe",
            "table",
            "adapt_quality",
            "profile",
        ],
    ),
    ("creative-media", &["adapt_chart", "chart"]),
    (
        "knowledge-grounding",
        &["ctx_keywords", "keywords", "ctx_entities", "entities", "adapt_units", "in_unit"],
    ),
    (
        "ml-optimisation",
        &[
            "adapt_automl",
            "predict",
            "adapt_bayes",
            "adapt_optimize",
            "minimize",
            "adapt_stats",
            "describe",
            "adapt_textclf",
            "classify",
        ],
    ),
    ("safety-alignment", &["align_eval", "evaluate"]),
    ("self-optimisation", &["adapt_algo_select"]),
    (
        "files",
        &[
            "files",
            "read_files",
            "read_text",
            "pdf_text",
            "read_json",
            "read_jsonl",
            "read_bytes",
            "write_file",
            "save_json",
            "list_files",
            "append_file",
            "copy_file",
            "move_file",
            "delete_file",
            "temp_file",
            "path",
        ],
    ),
    (
        "http",
        &[
            "adapt_http",
            "request",
            "http_get",
            "http_post",
            "http_pages",
            "openapi_ops",
            "webhook_verify",
        ],
    ),
    ("exec", &["exec", "exec_json", "exec_jsonl"]),
    ("database", &["database", "query"]),
    (
        "formats",
        &[
            "adapt_crypto",
            "hash",
            "adapt_template",
            "fill",
            "template_variables",
            "adapt_archive",
            "list_archive",
            "unpack",
        ],
    ),
    (
        "guide",
        &[
            "guide",
            "guide_ask",
            "guide_how_to",
            "guide_find_tool",
            "guide_plan_workflow",
            "guide_system_overview",
        ],
    ),
];

/// The features that this program is compiled without.
pub(super) fn features() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    let is_there = |feature: &str| match feature {
        "context-retrieval" => cfg!(feature = "context-retrieval"),
        "agents-llm" => cfg!(feature = "agents-llm"),
        "code-intelligence" => cfg!(feature = "code-intelligence"),
        "creative-media" => cfg!(feature = "creative-media"),
        "data-processing" => cfg!(feature = "data-processing"),
        "knowledge-grounding" => cfg!(feature = "knowledge-grounding"),
        "ml-optimisation" => cfg!(feature = "ml-optimisation"),
        "self-optimisation" => cfg!(feature = "self-optimisation"),
        "safety-alignment" => cfg!(feature = "safety-alignment"),
        "http" => cfg!(feature = "http"),
        "exec" => cfg!(feature = "exec"),
        "files" => cfg!(feature = "files"),
        "database" => cfg!(feature = "database"),
        "formats" => cfg!(feature = "formats"),
        _ => cfg!(feature = "guide"),
    };
    NAMES.iter().filter(move |(feature, _)| !is_there(feature))
}

/// The names of a component in scripts.
#[cfg(test)]
fn names(component: &svc_contract::registry::Component) -> impl Iterator<Item = &'static str> {
    let aliases = component.aliases.iter().map(|(alias, _)| *alias);
    std::iter::once(component.name).chain(aliases)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{NAMES, names};
    use crate::ALL;

    /// Holds where all features are on, as in the tests of the whole.
    #[test]
    fn the_names_of_every_feature_are_known() {
        let of_a_feature: BTreeSet<&str> = NAMES.iter().flat_map(|it| it.1).copied().collect();
        let always = [
            "text",
            "list",
            "map",
            "math",
            "random",
            "time",
            "json",
            "csv",
            "control",
            "approval",
            "navigator",
        ];
        let named: BTreeSet<&str> = ALL
            .iter()
            .flat_map(|it| it.iter())
            .filter(|it| !always.contains(&it.name))
            .flat_map(|it| names(it))
            .collect();
        assert!(named.is_subset(&of_a_feature), "{:?}", named.difference(&of_a_feature));
        if super::features().next().is_none() {
            assert_eq!(named, of_a_feature);
        }
    }
}
