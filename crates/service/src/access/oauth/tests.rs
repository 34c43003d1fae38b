//! `tokens.json` has keys and tokens made with `PyJWT` 2; all are of the same claims.

use jsonwebtoken::jwk::JwkSet;
use serde_json::{Value, json};
use svc_lang::diag::Source;

use super::{
    Grant, KeysAt, OAuth, TokenMisfit,
    tokens::{Head, verify},
};
use crate::access::roles::{AccessPolicy, PolicyError};

/// In the hour of the tokens.
const NOW: i64 = 1_700_001_000_000;

fn oauth() -> OAuth {
    let role = |scope: &str, role: &str| (scope.to_owned(), role.to_owned());
    OAuth {
        issuer: "https://login.example.com".to_owned(),
        resource: "https://svc.example.com".to_owned(),
        keys: KeysAt::Issuer,
        roles: vec![role("svc:free", "free"), role("svc:build", "builder")],
    }
}

fn kept() -> (JwkSet, Vec<(String, String)>) {
    let kept: Value = serde_json::from_str(include_str!("tokens.json")).unwrap();
    let tokens = kept["tokens"].as_object().unwrap().iter();
    let tokens = tokens.map(|(name, it)| (name.clone(), it.as_str().unwrap().to_owned())).collect();
    (serde_json::from_value(kept["jwks"].clone()).unwrap(), tokens)
}

fn read(token: &str, keys: &JwkSet, oauth: &OAuth, now: i64) -> Result<Grant, TokenMisfit> {
    let head = Head::read(token)?;
    verify(token, &head, head.key(keys).ok_or(TokenMisfit::Key)?, oauth, now)
}

#[test]
fn tokens_of_another_library_are_verified() {
    let (keys, tokens) = kept();
    for (algorithm, token) in &tokens {
        let found = read(token, &keys, &oauth(), NOW);
        match algorithm.as_str() {
            // Made with the public key as the secret.
            "HS256" => assert_eq!(found, Err(TokenMisfit::Algorithm)),
            "none" => assert_eq!(found, Err(TokenMisfit::Form)),
            _ => {
                let Grant { subject, scopes, issued, expires } = found.unwrap();
                assert_eq!((subject.as_str(), issued), ("auth0|ann", 1_700_000_000_000));
                assert_eq!((scopes.len(), expires), (3, 1_700_003_600_000));
            }
        }
    }
    assert_eq!(tokens.len(), 7);
}

#[test]
fn a_token_is_for_one_service_and_one_time() {
    let (keys, tokens) = kept();
    let (_, token) = tokens.iter().find(|(it, _)| it == "ES256").unwrap();
    let other = |change: fn(&mut OAuth)| {
        let mut other = oauth();
        change(&mut other);
        read(token, &keys, &other, NOW)
    };
    assert_eq!(
        other(|it| it.issuer = "https://login.example.org".into()),
        Err(TokenMisfit::Issuer)
    );
    assert_eq!(
        other(|it| it.resource = "https://svc.example.org".into()),
        Err(TokenMisfit::Audience)
    );
    assert_eq!(other(|it| it.resource = "https://svc.example".into()), Err(TokenMisfit::Audience));
    let at = |now| read(token, &keys, &oauth(), now).map(|_| ());
    assert_eq!(at(1_700_003_659_000), Ok(()), "clocks differ a little");
    assert_eq!(at(1_700_003_660_000), Err(TokenMisfit::Expired));
}

#[test]
fn a_changed_token_is_refused_wherever_it_was_changed() {
    let (keys, tokens) = kept();
    for (algorithm, token) in tokens.iter().filter(|(it, _)| !matches!(&**it, "HS256" | "none")) {
        // The last letter of a part may have bits that mean nothing.
        for at in (0..token.len() - 1).step_by(7).filter(|at| token.as_bytes()[*at] != b'.') {
            let mut bytes = token.clone().into_bytes();
            bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).unwrap();
            let part_ends = token.as_bytes()[at + 1] == b'.';
            assert!(part_ends || read(&changed, &keys, &oauth(), NOW).is_err(), "{algorithm} {at}");
        }
    }
    for text in ["", "..", "a.b.c", "e30.e30.e30", "\u{e9}.\u{e9}.\u{e9}", &"a.".repeat(100_000)] {
        assert!(read(text, &keys, &oauth(), NOW).is_err());
    }
}

#[test]
fn a_key_that_fits_two_ways_or_none_is_not_guessed() {
    let (mut keys, tokens) = kept();
    let (_, token) = tokens.iter().find(|(it, _)| it == "ES384").unwrap();
    let head = Head::read(token).unwrap();
    assert!(head.key(&keys).is_some());
    keys.keys.push(keys.keys[2].clone());
    assert!(head.key(&keys).is_none(), "two keys have this name");
    keys.keys.clear();
    assert!(head.key(&keys).is_none());
}

#[test]
fn the_last_role_of_the_file_whose_scope_is_there_counts() {
    let grant = |scopes: &[&str], subject: &str| Grant {
        subject: subject.to_owned(),
        scopes: scopes.iter().map(|it| (*it).to_owned()).collect(),
        issued: 0,
        expires: 1,
    };
    let both = oauth().holder(&grant(&["svc:build", "svc:free"], "ann")).unwrap();
    let free = oauth().holder(&grant(&["svc:free"], "ann")).unwrap();
    let other = oauth().holder(&grant(&["svc:free"], "bob")).unwrap();
    assert_eq!((both.role.as_str(), free.role.as_str()), ("builder", "free"));
    assert_eq!(both.owner, free.owner);
    assert!(both.id != free.id && free.owner != other.owner && other.owner.starts_with("oauth-"));
    assert!(oauth().holder(&grant(&["openid"], "ann")).is_none());
}

#[test]
fn the_metadata_names_the_issuer() {
    let found = oauth().metadata("/mcp").unwrap();
    let found: Value = serde_json::from_str(&svc_contract::value::json::write(&found)).unwrap();
    let wanted = json!({
        "resource": "https://svc.example.com/mcp",
        "authorization_servers": ["https://login.example.com"],
        "scopes_supported": ["svc:free", "svc:build"],
        "bearer_methods_supported": ["header"],
        "resource_name": "svc",
    });
    assert_eq!(found, wanted);
    assert_eq!(oauth().metadata("/other"), None);
}

#[test]
fn the_table_of_the_policy_is_read() {
    let read = |text: &str| {
        AccessPolicy::read(&Source::new("access.toml".to_owned(), text.to_owned()), false)
    };
    let good = "version = 1\n[oauth]\nissuer = \"https://a.example/\"\nresource = \"https://svc.example/\"\n\
        keys = \"keys.json\"\n[oauth.roles]\n\"z\" = \"free\"\n\"a\" = \"team\"\n[roles.team]\ntier = \"builder\"\n";
    let policy = read(good).unwrap();
    let found = policy.oauth().unwrap();
    assert_eq!(found.roles, [("z".into(), "free".into()), ("a".into(), "team".into())]);
    assert_eq!(found.resource, "https://svc.example");
    assert_ne!(policy.version(), AccessPolicy::built_in(false).version());

    let bad = "version = 1\n[oauth]\nissuer = \"http://a.example\"\nresource = \"https://svc.example/mcp\"\n\
        extra = 1\n[oauth.roles]\n\"a b\" = \"free\"\nx = \"freee\"\n";
    let Err(PolicyError::Wrong(problems)) = read(bad) else { panic!("it is wrong") };
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "access.toml:3:10: oauth.issuer: expected an address that begins with `https://`, found `\"http://a.example\"`",
            "access.toml:4:12: oauth.resource: expected an address without a path, as in \
             `https://svc.example.com`, found `\"https://svc.example/mcp\"`",
            "access.toml:5:1: oauth: unknown field `extra`; the fields are issuer, resource, keys, roles",
            "access.toml:7:1: oauth.roles.a b: invalid name of a scope",
            "access.toml:8:5: oauth.roles.x: unknown role `freee`; the roles are free, researcher, builder, admin",
        ]
    );
}
