//! Access tokens of an issuer instead of keys.

use std::{
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Value, json};

use super::{Answer, Server, keys, until, write};
use crate::foreign;
use crate::models::server::{Reply, Server as Web};

const UPPER: &str = r#"{"op": "upper", "params": {"text": "a"}}"#;

/// An issuer with one key at a time.
struct Issuer {
    web: Web,
    signing: Arc<Mutex<Option<Signing>>>,
}

struct Signing {
    pair: Ed25519KeyPair,
    kid: &'static str,
}

impl Signing {
    fn new(kid: &'static str) -> Self {
        let seed: [u8; 32] = std::array::from_fn(|at| kid.as_bytes()[at % kid.len()]);
        Self { pair: Ed25519KeyPair::from_seed_unchecked(&seed).unwrap(), kid }
    }

    fn token(&self, claims: &Value) -> String {
        let part = |it: &Value| URL_SAFE_NO_PAD.encode(it.to_string());
        let head = json!({ "alg": "EdDSA", "typ": "at+jwt", "kid": self.kid });
        let signed = format!("{}.{}", part(&head), part(claims));
        let signature = URL_SAFE_NO_PAD.encode(self.pair.sign(signed.as_bytes()));
        format!("{signed}.{signature}")
    }
}

impl Issuer {
    fn start(kid: &'static str) -> Self {
        let signing = Arc::new(Mutex::new(Some(Signing::new(kid))));
        let shared = signing.clone();
        let web = Web::answering(move |request| {
            let shared = shared.lock().unwrap();
            let Some(signing) = &*shared else { return Reply::nothing() };
            let host = request.head.lines().find_map(|it| it.strip_prefix("host: ")).unwrap();
            let x = URL_SAFE_NO_PAD.encode(signing.pair.public_key());
            let key = json!({ "kty": "OKP", "crv": "Ed25519", "kid": signing.kid, "x": x });
            let body = match request.head.split(' ').nth(1).unwrap() {
                "/.well-known/oauth-authorization-server/tenant" => json!({
                    "issuer": format!("http://{host}/tenant"),
                    "jwks_uri": format!("http://{host}/tenant/keys"),
                }),
                "/tenant/keys" => json!({ "keys": [key] }),
                _ => return Reply::new(404, ""),
            };
            Reply::new(200, &body.to_string())
        });
        Self { web, signing }
    }

    fn name(&self) -> String {
        format!("{}/tenant", self.web.url)
    }

    /// A token of a subject for scopes.
    fn token(&self, subject: &str, scope: &str) -> String {
        self.signing.lock().unwrap().as_ref().unwrap().token(&self.claims(subject, scope))
    }

    fn claims(&self, subject: &str, scope: &str) -> Value {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        json!({
            "iss": self.name(),
            "aud": "https://svc.example/mcp",
            "sub": subject,
            "scope": scope,
            "iat": now,
            "exp": now + 600,
        })
    }

    fn server(&self, args: &[&str]) -> Server {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in &super::SCRIPTS {
            write(place.path(), name, text);
        }
        let name = self.name();
        write(
            place.path(),
            ".service/access.toml",
            &format!(
                "version = 1\n[oauth]\nissuer = \"{name}\"\nresource = \"https://svc.example\"\n\
                 [oauth.roles]\n\"svc:free\" = \"free\"\n\"svc:build\" = \"builder\"\n"
            ),
        );
        Server::at(place, &[&["--data", ".service"], args].concat())
    }
}

fn upper(server: &Server, token: &str) -> Answer {
    server.as_key(token, "POST", "/invoke/text", Some(UPPER))
}

fn audit(place: &Path) -> String {
    keys::svc(place, &["audit", "--json"]).1
}

#[test]
fn tokens_let_in_and_metadata_says_how_to_get_one() {
    let issuer = Issuer::start("one");
    let server = issuer.server(&[]);
    assert!(server.notes.contains(&format!("a token of `{}`", issuer.name())), "{}", server.notes);
    let missing = server.post("/invoke/text", UPPER);
    assert_eq!(missing.status, 401);
    let challenge = "www-authenticate: bearer scope=\"svc:free svc:build\", \
        resource_metadata=\"https://svc.example/.well-known/oauth-protected-resource\"";
    assert!(missing.head.contains(challenge), "{}", missing.head);
    let metadata = server.get("/.well-known/oauth-protected-resource/mcp").ok();
    assert_eq!(metadata["resource"], "https://svc.example/mcp");
    assert_eq!(metadata["authorization_servers"], json!([issuer.name()]));

    let free = issuer.token("ann", "openid svc:free");
    assert_eq!(upper(&server, &free).ok()["result"], "A");
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }).to_string();
    let accept = [
        ("Authorization", format!("Bearer {free}")),
        ("Accept", "application/json, text/event-stream".to_owned()),
        ("Content-Type", "application/json".to_owned()),
    ];
    let accept: Vec<(&str, &str)> = accept.iter().map(|(name, it)| (*name, &**it)).collect();
    let none = server.client.send("POST", "/mcp", &accept[1..], Some(list.as_bytes()));
    assert!(none.status == 401 && none.head.contains("resource_metadata="), "{}", none.head);
    assert_ne!(server.client.send("POST", "/mcp", &accept, Some(list.as_bytes())).status, 401);

    // The role is that of the scope.
    let sleep = r#"{"script": "1 >> wait(duration: 1ms)"}"#;
    let discover = r#"{"query": "condense"}"#;
    let builder = issuer.token("ann", "svc:build");
    assert_eq!(server.as_key(&free, "POST", "/tools/nav_discover", Some(discover)).status, 403);
    assert_eq!(server.as_key(&builder, "POST", "/tools/nav_discover", Some(discover)).status, 200);
    assert_eq!(server.as_key(&builder, "POST", "/tools/run_pipeline", Some(sleep)).status, 200);
    let without = upper(&server, &issuer.token("ann", "openid"));
    assert!(without.head.contains("error=\"insufficient_scope\""), "{}", without.head);
    assert_eq!(without.status, 403);

    // Keys are accepted as well.
    let key = server.issue("bob", "free");
    assert_eq!(upper(&server, &key).status, 200);
    let owners = audit(server.place.path());
    let owners: Vec<Value> = serde_json::from_str(&owners).unwrap();
    let mut owners: Vec<&str> = owners.iter().filter_map(|it| it["owner"].as_str()).collect();
    owners.sort_unstable();
    owners.dedup();
    assert_eq!(owners.iter().filter(|it| it.starts_with("oauth-")).count(), 1, "{owners:?}");
}

#[test]
fn tokens_that_are_over_or_forged_are_refused() {
    let issuer = Issuer::start("one");
    let server = issuer.server(&[]);
    let signing = Signing::new("one");
    let changed = |name: &str, value: Value| {
        let mut claims = issuer.claims("ann", "svc:free");
        claims[name] = value;
        signing.token(&claims)
    };
    for (name, value, rule) in [
        ("exp", json!(1_000_000_000), "token_expired"),
        ("nbf", json!(9_000_000_000_u64), "token_early"),
        ("iss", json!("https://login.example"), "token_issuer"),
        ("aud", json!(["https://svc.example.evil", "client"]), "token_audience"),
        ("sub", Value::Null, "token_claims"),
        ("exp", json!("tomorrow"), "token_claims"),
    ] {
        let refused = upper(&server, &changed(name, value));
        assert_eq!(refused.status, 401, "{name}");
        assert!(refused.head.contains("error=\"invalid_token\""), "{}", refused.head);
        assert!(refused.body.contains("invalid access token"), "{}", refused.body);
        until(|| audit(server.place.path()).contains(rule));
    }
    // Those of a client that is late do not lock its address.
    for _ in 0..20 {
        assert_eq!(upper(&server, &changed("exp", json!(1_000_000_000))).status, 401);
    }
    assert_eq!(upper(&server, &issuer.token("ann", "svc:free")).status, 200);
    // Forged ones do.
    let mut forger = Signing::new("other");
    forger.kid = "one";
    let forged = forger.token(&issuer.claims("ann", "svc:build"));
    let statuses: Vec<u16> = (0..21).map(|_| upper(&server, &forged).status).collect();
    assert_eq!((statuses[0], statuses[20]), (401, 429), "{statuses:?}");
}

#[test]
fn keys_of_the_issuer_may_change_and_be_out_of_reach() {
    let issuer = Issuer::start("one");
    let server = issuer.server(&["--hosted"]);
    let metadata = server.get("/.well-known/oauth-protected-resource");
    assert_eq!(metadata.status, 200, "it is for everybody");
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let send = |token: &str| {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
        ];
        server.client.send("POST", "/mcp", &headers, Some(list.as_bytes())).status
    };
    let first = issuer.token("ann", "svc:free");
    assert_ne!(send(&first), 401);
    *issuer.signing.lock().unwrap() = Some(Signing::new("two"));
    let second = issuer.token("ann", "svc:free");
    until(|| send(&second) != 401);
    let asked = issuer.web.requests().len();
    assert_eq!(send(&first), 401, "its key was taken back");
    // What is not known is not asked for again and again.
    assert_eq!(send(&first), 401);
    assert!(issuer.web.requests().len() <= asked + 2);
    // What was read before stays in use.
    *issuer.signing.lock().unwrap() = None;
    assert_ne!(send(&second), 401);

    let other = Issuer::start("three");
    let server = other.server(&[]);
    let token = other.token("ann", "svc:free");
    let kept = other.signing.lock().unwrap().take();
    let answer = upper(&server, &token);
    assert_eq!(answer.status, 503, "{}", answer.body);
    assert!(answer.head.contains("retry-after: 5"), "{}", answer.head);
    *other.signing.lock().unwrap() = kept;
    until(|| upper(&server, &token).status == 200);
}

#[test]
fn the_client_of_python_logs_in() {
    let clients = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let python = match foreign::python(&clients.join("requirements.txt")) {
        Ok(python) => python,
        Err(why) => return foreign::skipped("the_client_of_python_logs_in", &why),
    };
    let place = tempfile::tempdir().unwrap();
    let mut command = Command::new(python);
    command.arg(clients.join("oauth_client.py"));
    command.arg(assert_cmd::cargo::cargo_bin!("svc")).arg(place.path());
    assert_eq!(foreign::answer(&mut command, "").trim(), r#"{"words": 3}"#);
}
