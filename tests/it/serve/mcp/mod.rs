//! `svc mcp` and `/mcp`: tools and scripts as agents see them.

mod streams;
mod web;

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use self::streams::Streams;
use super::{SCRIPTS, until, write};

/// Asks a person, then writes.
const ASKS: &str = "# Sends a text.\nparam text: string\n\
    let allowed = text >> approve(question: \"Send this?\")\n\
    allowed >> append_file(to: \"sent.txt\")";

/// A folder with scripts.
fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in SCRIPTS.iter().chain(&[("asks.svc", ASKS)]) {
        write(place.path(), name, text);
    }
    place
}

fn client(place: &TempDir) -> Streams {
    Streams::greeted(place.path(), &["."], &json!({}))
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

fn lines(place: &Path, name: &str) -> Vec<String> {
    let text = fs::read_to_string(place.join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_greeting_names_the_server_and_the_revision() {
    let place = place();
    for (asked, agreed) in
        [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25")]
    {
        let mut client = Streams::start(place.path(), &["."], &[]);
        let greeting = client.greet(asked, &json!({}));
        assert_eq!(greeting["protocolVersion"], agreed);
        assert_eq!(greeting["serverInfo"]["name"], "svc");
        assert!(greeting["instructions"].as_str().unwrap().contains("svc_first_call_help_tool"));
        assert_eq!(client.close(), Some(0));
    }
}

#[test]
fn tools_and_scripts_are_listed_with_schemas_and_short_definitions() {
    let place = place();
    let list = client(&place).ask("tools/list", &json!({}))["result"]["tools"].clone();
    let all = names(&list);
    assert!(all.is_sorted(), "{all:?}");
    for wanted in ["guide_ask", "run_pipeline", "word_count", "reports_by_day", "asks"] {
        assert!(all.contains(&wanted), "{wanted}: {all:?}");
    }
    // A library has no pipeline, a broken script none that checks, and a tool keeps its name.
    assert!(!all.contains(&"library") && !all.contains(&"broken"));
    assert_eq!(all.iter().filter(|it| **it == "guide_ask").count(), 1);
    for tool in list.as_array().unwrap() {
        let mut own = tool.clone();
        own.as_object_mut().unwrap().remove("outputSchema");
        let size = own.to_string().len();
        assert!(size <= 700, "{} has {size} bytes: {own}", tool["name"]);
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            boon::Compiler::new()
                .add_resource("mem:tool", tool[schema].clone())
                .unwrap_or_else(|err| panic!("{}: {err}", tool["name"]));
        }
    }
    let find = |name: &str| list.as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
    let count = find("word_count");
    let description = count["description"].as_str().unwrap();
    assert!(description.starts_with("Counts the words of a text."), "{description}");
    assert!(description.contains("Estimate:") && description.contains("Effects: none."));
    assert_eq!(count["inputSchema"]["required"], json!(["text"]));
    assert_eq!(count["annotations"]["readOnlyHint"], true);
    let asks = find("asks");
    assert_eq!(asks["annotations"]["readOnlyHint"], false);
    assert_eq!(asks["_meta"]["svc/effects"], json!(["writes fs:sent.txt", "asks"]));
}

#[test]
fn definitions_of_long_scripts_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let place = tempfile::tempdir().unwrap();
    let store = place.path().join("runs.db");
    let variables = [("SVC_STORE", store.to_str().unwrap())];
    let mut client = Streams::start(root, &["examples"], &variables);
    client.greet("2025-11-25", &json!({}));
    let list = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    for tool in list.as_array().unwrap() {
        let mut own = tool.clone();
        own.as_object_mut().unwrap().remove("outputSchema");
        assert!(own.to_string().len() <= 700, "{} {own}", own.to_string().len());
    }
    let sales = list.as_array().unwrap().iter().find(|it| it["name"] == "sales_by_day").unwrap();
    let description = sales["description"].as_str().unwrap();
    assert!(description.ends_with("Effects: reads, writes, runs."), "{description}");
    assert_eq!(sales["_meta"]["svc/effects"].as_array().unwrap().len(), 5);
}

#[test]
fn calls_return_text_and_data_that_fits_the_schema() {
    let place = place();
    let mut client = client(&place);
    let list = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let calls = [
        ("word_count", json!({ "text": "a b c" }), json!({ "words": 3 })),
        ("reports_by_day", json!({ "n": 2 }), json!({ "result": [2, 4] })),
        (
            "nav_discover",
            json!({ "query": "condense documents", "limit": 1 }),
            json!({ "result": ["ctx_summary"] }),
        ),
    ];
    for (name, args, data) in calls {
        let result = client.call(name, &args);
        assert_ne!(result["isError"], true, "{result}");
        for (field, value) in data.as_object().unwrap() {
            if name == "nav_discover" {
                let first = &result["structuredContent"][field][0];
                assert_eq!(first["name"], value[0], "{result}");
            } else {
                assert_eq!(&result["structuredContent"][field], value, "{result}");
            }
        }
        let text = result["content"][0]["text"].as_str().unwrap();
        let read: Value = serde_json::from_str(text).unwrap();
        let whole = &result["structuredContent"];
        assert!(&read == whole || read == whole["result"], "{result}");
        fits(&list, name, whole);
    }
}

/// A result for programs fits the schema of its tool.
fn fits(list: &Value, name: &str, data: &Value) {
    let tool = list.as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("mem:tool", tool["outputSchema"].clone()).unwrap();
    let schema = compiler.compile("mem:tool", &mut schemas).unwrap();
    schemas.validate(data, schema).unwrap_or_else(|err| panic!("{name}: {err}"));
}

#[test]
fn mistakes_are_told_to_the_model_and_unknown_names_to_the_client() {
    let place = place();
    let mut client = client(&place);
    let wrong = [
        ("word_count", json!({}), "needs `text: string`"),
        ("word_count", json!({ "text": 1 }), "expected string for `text`, found 1"),
        ("word_count", json!({ "txt": "a" }), "did you mean `text`?"),
        ("guide_ask", json!({ "query": "a", "top_k": 99 }), "top_k"),
        ("run_pipeline", json!({ "script": "1 >> uper" }), "upper"),
    ];
    for (name, args, message) in wrong {
        let result = client.call(name, &args);
        assert_eq!(result["isError"], true, "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(message), "{name}: {text}");
    }
    let unknown = client.ask("tools/call", &json!({ "name": "guide_aks", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert!(unknown.to_string().contains("did you mean `guide_ask`?"), "{unknown}");
    let broken = client.ask("tools/call", &json!({ "name": "broken", "arguments": {} }));
    assert_eq!(broken["error"]["code"], -32602, "{broken}");
    assert!(broken.to_string().contains("unknown name `uper`"), "{broken}");
    for params in [json!({ "name": 5 }), json!({}), json!(null)] {
        let wrong = client.ask("tools/call", &params);
        assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    }
    for method in ["tools/other", "other"] {
        assert_eq!(client.ask(method, &json!({}))["error"]["code"], -32601);
    }
    // The session goes on.
    assert_eq!(client.call("word_count", &json!({ "text": "a" }))["structuredContent"]["words"], 1);
}

#[test]
fn a_person_behind_the_client_approves() {
    let place = place();
    let elicits = json!({ "elicitation": {} });
    let mut client = Streams::greeted(place.path(), &["."], &elicits);
    client.says = json!({ "action": "accept", "content": { "approve": true } });
    let result = client.call("asks", &json!({ "text": "one" }));
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(lines(place.path(), "sent.txt"), ["one"]);
    let asked = client.told.iter().find(|it| it["method"] == "elicitation/create").unwrap();
    assert!(asked["params"]["message"].as_str().unwrap().contains("Send this?"), "{asked}");
    assert_eq!(asked["params"]["requestedSchema"]["required"], json!(["approve"]));

    client.says = json!({ "action": "decline" });
    let result = client.call("asks", &json!({ "text": "two" }));
    assert_eq!(result["isError"], true, "{result}");
    assert_eq!(lines(place.path(), "sent.txt"), ["one"]);

    // Who turns away has not decided: the question stays open, and is answered with a tool.
    client.says = json!({ "action": "cancel" });
    let result = client.call("asks", &json!({ "text": "three" }));
    assert_eq!(result["structuredContent"]["state"], "waiting", "{result}");
    let job = result["structuredContent"]["job_id"].clone();
    let list = client.call("approval_list", &json!({ "state": "open" }));
    let id = list["structuredContent"]["approvals"][0]["id"].clone();
    client.call("approval_approve", &json!({ "id": id }));
    let ended = client.call("job_get_result", &json!({ "job_id": job, "wait": "20s" }));
    assert_eq!(ended["structuredContent"]["state"], "ok", "{ended}");
    assert_eq!(lines(place.path(), "sent.txt"), ["one", "three"]);
}

#[test]
fn a_tool_may_ask_the_person_too() {
    let place = place();
    let elicits = json!({ "elicitation": {} });
    let mut client = Streams::greeted(place.path(), &["."], &elicits);
    client.says = json!({ "action": "accept", "content": { "approve": true } });
    let run = |text: &str| {
        let script = format!(
            "let allowed = \"{text}\" >> approve(question: \"Send?\")\n\
             allowed >> append_file(to: \"sent.txt\")"
        );
        json!({ "script": script })
    };
    let result = client.call("run_pipeline", &run("one"));
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(lines(place.path(), "sent.txt"), ["one"]);
    let asked = client.told.iter().find(|it| it["method"] == "elicitation/create").unwrap();
    assert!(asked["params"]["message"].as_str().unwrap().contains("Send?"), "{asked}");

    client.says = json!({ "action": "cancel" });
    let result = client.call("run_pipeline", &run("two"));
    assert_eq!(result["structuredContent"]["state"], "waiting", "{result}");
    let job = result["structuredContent"]["job_id"].clone();
    client.kill();
    // The job has the text, the question, and no second write.
    let mut again = self::client(&place);
    let list = again.call("approval_list", &json!({ "state": "open" }));
    let id = list["structuredContent"]["approvals"][0]["id"].clone();
    again.call("approval_approve", &json!({ "id": id }));
    let ended = again.call("job_get_result", &json!({ "job_id": job, "wait": "20s" }));
    assert_eq!(ended["structuredContent"]["state"], "ok", "{ended}");
    assert_eq!(ended["structuredContent"]["result"]["result"], "sent.txt", "{ended}");
    assert_eq!(lines(place.path(), "sent.txt"), ["one", "two"]);
}

#[test]
fn a_client_without_questions_gets_the_job() {
    let place = place();
    let mut client = client(&place);
    let result = client.call("asks", &json!({ "text": "one" }));
    assert_eq!(result["structuredContent"]["state"], "waiting", "{result}");
    let list = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    fits(&list, "asks", &result["structuredContent"]);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("Send this?") && text.contains("approval_approve"), "{text}");
    // It survives the process.
    let id =
        client.call("approval_list", &json!({ "state": "open" }))["structuredContent"]["approvals"]
            [0]["id"]
            .clone();
    client.kill();
    let mut again = self::client(&place);
    again.call("approval_approve", &json!({ "id": id }));
    until(|| lines(place.path(), "sent.txt") == ["one"]);
}

#[test]
fn a_tool_that_goes_on_as_a_job_has_a_result_that_fits_its_schema() {
    let place = place();
    let mut client = client(&place);
    let list = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let script = "\"hi\" >> approve(question: \"ok?\")";
    let call = json!({ "component": "text", "op": "upper", "params": { "text": "a" } });
    for (name, args, state) in [
        ("run_pipeline", json!({ "script": script }), json!("waiting")),
        ("invoke_component", call, json!(null)),
    ] {
        let result = client.call(name, &args);
        assert_eq!(result["structuredContent"]["state"], state, "{result}");
        fits(&list, name, &result["structuredContent"]);
    }
    for tool in list.as_array().unwrap() {
        let later = json!({ "job_id": "job_a", "run_id": "run_a", "state": "running" });
        fits(&list, tool["name"].as_str().unwrap(), &later);
    }
}

#[test]
fn a_cancelled_call_ends_its_run() {
    let place = place();
    let mut client = client(&place);
    let id = client.begin("tools/call", &json!({ "name": "slow", "arguments": { "time": "40s" } }));
    std::thread::sleep(std::time::Duration::from_millis(800));
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
    });
    client.send(&cancel);
    let begun = std::time::Instant::now();
    assert_eq!(client.close(), Some(0));
    assert!(begun.elapsed() < std::time::Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[test]
fn progress_is_sent_to_who_asks_for_it() {
    let place = place();
    write(
        place.path(),
        "steps.svc",
        "range(0, 6) >> wait(duration: 400ms) >> wait(duration: 400ms) >> wait(duration: 400ms) >> wait(duration: 400ms)",
    );
    let mut client = client(&place);
    let params = json!({ "name": "steps", "arguments": {}, "_meta": { "progressToken": "p" } });
    let answer = client.ask("tools/call", &params);
    assert_eq!(
        answer["result"]["structuredContent"]["result"].as_array().map(Vec::len),
        Some(6),
        "{answer}"
    );
    let told = client.told.iter().filter(|it| it["method"] == "notifications/progress");
    let numbers: Vec<f64> = told.map(|it| it["params"]["progress"].as_f64().unwrap()).collect();
    assert!(numbers.len() >= 3 && numbers.is_sorted(), "{numbers:?}");
    // At most four a second.
    assert!(numbers.len() <= 12, "{numbers:?}");
    let quiet = client.told.len();
    client.call("steps", &json!({}));
    let more = client.told[quiet..].iter().filter(|it| it["method"] == "notifications/progress");
    assert_eq!(more.count(), 0);
}

#[test]
fn an_edited_folder_changes_the_list() {
    let place = place();
    let mut client = client(&place);
    client.ask("tools/list", &json!({}));
    write(place.path(), "fresh.svc", "# Fresh.\n1 + 1");
    loop {
        let message = client.next().expect("the change is reported");
        if message["method"] == "notifications/tools/list_changed" {
            break;
        }
    }
    let list = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    assert!(names(&list).contains(&"fresh"));
    assert_eq!(client.call("fresh", &json!({}))["structuredContent"]["result"], 2);
}

#[test]
fn prompts_resources_and_completion() {
    let place = place();
    let mut client = client(&place);
    let prompts = client.ask("prompts/list", &json!({}))["result"]["prompts"].clone();
    assert_eq!(names(&prompts), ["first_call", "plan_goal", "write_pipeline", "debug_failure"]);
    let params = json!({ "name": "plan_goal", "arguments": { "goal": "count words" } });
    let prompt = client.ask("prompts/get", &params);
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("count words") && text.contains("dry_run"), "{text}");
    let missing = client.ask("prompts/get", &json!({ "name": "plan_goal" }));
    assert_eq!(missing["error"]["code"], -32602, "{missing}");

    let mut read = |uri: &str| client.ask("resources/read", &json!({ "uri": uri }));
    let card = read("svc://docs/card");
    assert!(card["result"]["contents"][0]["text"].as_str().unwrap().contains("svc on one page"));
    let script = read("svc://script/word_count");
    assert!(script["result"]["contents"][0]["text"].as_str().unwrap().contains("param text"));
    let component = read("svc://component/summary");
    let text = component["result"]["contents"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap()["name"], "ctx_summary");
    for uri in
        ["svc://docs/other", "svc://script/broken", "svc://other/a", "file:///etc/passwd", ""]
    {
        let unknown = read(uri);
        assert_eq!(unknown["error"]["code"], -32002, "{uri}: {unknown}");
    }
    let mut subscribe = |uri: &str| client.ask("resources/subscribe", &json!({ "uri": uri }));
    assert_eq!(subscribe("svc://script/word_count")["result"], json!({}));
    for uri in ["nope", "svc://run/nope"] {
        assert_eq!(subscribe(uri)["error"]["code"], -32002, "{uri}");
    }
    for list in ["tools", "prompts", "resources", "resources/templates"] {
        let page = client.ask(&format!("{list}/list"), &json!({ "cursor": "zzz" }));
        assert_eq!(page["error"]["code"], -32602, "{page}");
    }
    let mut complete = |of: Value, name: &str, value: &str| {
        let params = json!({ "ref": of, "argument": { "name": name, "value": value } });
        let answer = client.ask("completion/complete", &params);
        let values = answer["result"]["completion"]["values"].as_array().unwrap().clone();
        values.into_iter().map(|it| it.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let docs = json!({ "type": "ref/resource", "uri": "svc://docs/{page}" });
    assert_eq!(complete(docs, "page", "bou"), ["bounds"]);
    let write = json!({ "type": "ref/prompt", "name": "write_pipeline" });
    assert!(complete(write.clone(), "component", "ctx_sum").contains(&"ctx_summary".to_owned()));
    assert!(complete(write, "other", "").is_empty());
}

#[test]
fn the_short_list_leads_to_all_tools() {
    let place = place();
    let mut client = Streams::greeted(place.path(), &[".", "--compact"], &json!({}));
    let list = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let wanted = [
        "svc_first_call_help_tool",
        "guide_find_tool",
        "system_status",
        "job_get_result",
        "describe_tools",
        "call_tool",
    ];
    assert_eq!(names(&list), wanted);
    let described = client.call("describe_tools", &json!({ "names": ["word_count", "other"] }));
    let data = &described["structuredContent"];
    assert_eq!(data["tools"][0]["input_schema"]["required"], json!(["text"]), "{data}");
    assert_eq!(data["unknown"], json!(["other"]));
    let args = json!({ "name": "word_count", "arguments": { "text": "a b" } });
    assert_eq!(client.call("call_tool", &args)["structuredContent"]["words"], 2);
    for wrong in [json!({}), json!({ "name": 1 }), json!({ "name": "a", "args": {} })] {
        assert_eq!(client.call("call_tool", &wrong)["isError"], true, "{wrong}");
    }
    let unknown = json!({ "name": "call_tool", "arguments": { "name": "other" } });
    assert_eq!(client.ask("tools/call", &unknown)["error"]["code"], -32602);
}

#[test]
fn a_key_decides_what_the_streams_may_do() {
    let place = place();
    let data = place.path().join(".service");
    let folder = data.to_str().unwrap();
    let issue = |role: &str| {
        let (code, key) =
            super::keys::svc(place.path(), &["keys", "issue", "--owner", role, "--role", role]);
        assert_eq!(code, Some(0));
        key.trim().to_owned()
    };
    let key = issue("free");
    let args = [".", "--data", folder];
    let mut client = Streams::start(place.path(), &args, &[("SVC_API_KEY", &key)]);
    client.greet("2025-11-25", &json!({}));
    let list = client.ask("tools/list", &json!({}))["result"]["tools"].clone();
    let all = names(&list);
    assert!(all.contains(&"guide_ask") && !all.contains(&"nav_discover"), "{all:?}");
    let above = json!({ "name": "nav_discover", "arguments": { "query": "a" } });
    let refused = client.ask("tools/call", &above);
    assert!(refused["error"]["code"] == 1403 || refused["result"]["isError"] == true, "{refused}");
    assert!(refused.to_string().contains("researcher"), "{refused}");
    let mut client = Streams::start(place.path(), &args, &[("SVC_API_KEY", "svc_live_x")]);
    client.greet("2025-11-25", &json!({}));
    assert_eq!(client.ask("tools/list", &json!({}))["error"]["code"], 1401);
}

#[test]
fn lines_that_are_no_messages_do_not_end_the_session() {
    let place = place();
    let mut client = client(&place);
    for line in [
        "{",
        "[]",
        "null",
        "\"a\"",
        "{\"jsonrpc\": \"1.0\"}",
        "{\"id\": 1}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/other\"}",
    ] {
        client.raw(line);
    }
    assert_eq!(client.call("word_count", &json!({ "text": "a" }))["structuredContent"]["words"], 1);
    // One that is too large is refused, without the end of the session.
    client.raw(&format!("{{\"a\": \"{}\"}}", "x".repeat(3 << 20)));
    assert_eq!(client.call("word_count", &json!({ "text": "a" }))["structuredContent"]["words"], 1);
    let has =
        |client: &Streams, what: &str| client.told.iter().any(|it| it.to_string().contains(what));
    while !has(&client, "larger than 1 MiB") || !has(&client, "not JSON") {
        let message = client.next().expect("each line is answered");
        client.told.push(message);
    }
    let many: Vec<u64> = (0..100)
        .map(|it| {
            let params = json!({ "name": "word_count", "arguments": { "text": "a ".repeat(it) } });
            client.begin("tools/call", &params)
        })
        .collect();
    // Answers come in any order, each once; those to the lines before have no id.
    let mut ids = Vec::new();
    while ids.len() < many.len() {
        ids.extend(client.next().unwrap()["id"].as_u64());
    }
    ids.sort_unstable();
    assert_eq!(ids, many);
}
