//! Tests of named indexes: filled, searched and emptied.
#![expect(clippy::disallowed_methods, reason = "the tests damage the index's directory")]

use std::{fs, io};

use svc_contract::{registry::documents::Doc, value::json};

use super::{
    super::fill::{Fill, Remove},
    *,
};

fn doc(id: &str, text: &str) -> Value {
    let path = format!("https://x.test/{id}");
    Doc::new(id.into(), format!("On {id}").into(), path.into(), text.into()).encode()
}

fn docs(all: &[(&str, &str)]) -> Value {
    all.iter().map(|(id, text)| doc(id, text)).collect::<Vec<_>>().into()
}

fn ids(all: &[&str]) -> Value {
    all.iter().map(|it| Value::text(*it)).collect::<Vec<_>>().into()
}

/// A result, which repeats the name of the index.
fn without_name(result: &Value, name: &str) -> String {
    let text = json::write(result);
    let named = format!(r#"{{"name":"{name}","#);
    format!("{{{}", text.strip_prefix(&named).unwrap())
}

impl World {
    fn cx(&self) -> Cx {
        let (cancel, meter) = (self.cancel.clone(), Meter::default());
        Cx::new("ctx_search", self.host.clone(), cancel, Arc::new(Watch::default()), meter)
    }

    fn fill(&self, docs: Value, name: &str) -> Result<String, OpError> {
        let op = Fill::decode(&mut [docs, Value::text(name)]).unwrap();
        op.run(&self.cx()).map(|it| without_name(&it, name))
    }

    fn take_out(&self, ids: Value, name: &str) -> Result<String, OpError> {
        let op = Remove::decode(&mut [ids, Value::text(name)]).unwrap();
        op.run(&self.cx()).map(|it| without_name(&it, name))
    }

    fn find(&self, query: &str, name: &str, condition: &str) -> Answer {
        let mut args: Vec<Value> = vec![Value::text(query)];
        let rest = &Infer::PARAMS[1..Infer::PARAMS.len() - 1];
        args.extend(rest.iter().map(|it| it.default.map(ParamDefault::value).unwrap_or_default()));
        let place = Infer::PARAMS.iter().position(|it| it.name == "where").unwrap();
        args[place] = json::read(condition).unwrap();
        args.push(Value::text(name));
        self.call(args, None)
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.cache().join("named").join(name).join("documents.jsonl")
    }
}

const PETS: &[(&str, &str)] = &[("cat", "A cat sleeps."), ("dog", "A dog barks at a cat.")];

#[test]
fn a_filled_index_is_searched_by_its_name() {
    let world = World::with(&[]);
    assert_eq!(world.fill(docs(PETS), "pets").unwrap(), r#"{"added":2,"total":2}"#);
    let answer = world.find("barking", "pets", "null");
    assert_eq!((answer.ids(), answer.notices.len()), (vec!["dog"], 0));
    let hit = &answer.hits()[0];
    assert_eq!((hit.title.as_ref(), hit.path.as_ref()), ("On dog", "https://x.test/dog"));
    assert_eq!((hit.text.as_ref(), hit.start, hit.end), (PETS[1].1, 0, 21));
    assert_eq!(hit.snippet.as_ref(), "A dog **barks** at a cat.");
    assert_eq!(world.find("cat", "pets", "null").ids(), ["cat", "dog"]);
}

#[test]
fn documents_are_replaced_and_removed() {
    let world = World::with(&[]);
    world.fill(docs(PETS), "pets").unwrap();
    let more = docs(&[("dog", "A dog swims."), ("hen", "A hen."), ("hen", "A hen flies.")]);
    assert_eq!(world.fill(more, "pets").unwrap(), r#"{"added":2,"total":3}"#);
    assert_eq!(world.find("barks", "pets", "null").ids(), [""; 0]);
    assert_eq!(world.find("swims flies", "pets", "null").ids(), ["dog", "hen"]);
    let gone = ids(&["dog", "dog", "unknown"]);
    assert_eq!(world.take_out(gone.clone(), "pets").unwrap(), r#"{"removed":1}"#);
    assert_eq!(world.take_out(gone, "pets").unwrap(), r#"{"removed":0}"#);
    assert_eq!(world.find("swims", "pets", "null").ids(), [""; 0]);
    assert_eq!(world.take_out(ids(&["cat", "hen"]), "pets").unwrap(), r#"{"removed":2}"#);
    assert_eq!(world.find("cat", "pets", "null").notices, ["`pets` contains no documents"]);
    assert_eq!(world.fill(docs(PETS), "pets").unwrap(), r#"{"added":2,"total":2}"#);
}

#[test]
fn what_changes_nothing_writes_nothing() {
    let world = World::with(&[]);
    world.fill(docs(PETS), "pets").unwrap();
    let written = || fs::metadata(world.file("pets")).unwrap().modified().unwrap();
    let before = written();
    assert_eq!(world.fill(docs(PETS), "pets").unwrap(), r#"{"added":0,"total":2}"#);
    assert_eq!(world.fill(docs(&[]), "pets").unwrap(), r#"{"added":0,"total":2}"#);
    assert_eq!(world.take_out(ids(&[]), "pets").unwrap(), r#"{"removed":0}"#);
    assert_eq!(written(), before);
}

#[test]
fn an_index_may_be_empty_and_must_exist() {
    let world = World::with(&[]);
    assert_eq!(world.fill(docs(&[]), "none").unwrap(), r#"{"added":0,"total":0}"#);
    assert_eq!(world.find("cat", "none", "null").ids(), [""; 0]);
    let unknown = (ErrorKind::NotFound, "unknown index `nothing`");
    assert_eq!(world.find("cat", "nothing", "null").error(), unknown);
    let err = world.take_out(ids(&["a"]), "nothing").unwrap_err();
    assert_eq!((err.kind, err.message.as_ref()), unknown);
    assert!(!world.file("nothing").parent().unwrap().exists());
}

#[test]
fn wrong_names_and_documents_are_refused_and_nothing_is_written() {
    let world = World::with(&[]);
    let long = "a".repeat(65);
    for name in ["", "..", "a/b", "A", "a b", "é", "a\0", long.as_str()] {
        for err in [
            world.fill(docs(PETS), name).unwrap_err(),
            world.take_out(ids(&["a"]), name).unwrap_err(),
            world.find("cat", name, "null").hits.unwrap_err(),
        ] {
            assert_eq!(err.kind, ErrorKind::InvalidInput, "{name}");
            assert!(err.message.starts_with("invalid name of an index"), "{}", err.message);
        }
    }
    assert!(!world.cache().exists());
    let refused = |second: Value| {
        let both = vec![doc("a", "one"), second];
        world.fill(both.into(), "pets").unwrap_err().message.clone()
    };
    let why = "cannot index document 2: its `id` must have 1 to 1024 bytes";
    assert_eq!(refused(doc("", "two")), why);
    assert_eq!(refused(doc(&"b".repeat(1025), "two")), why);
    let long = "long ".repeat(4 << 20);
    assert_eq!(refused(doc("b", &long)), "cannot index document 2: it is larger than 16MiB");
    let mut deep = Doc::new("b".into(), "".into(), "".into(), "two".into());
    deep.meta = Some(json::read(&format!("{}1{}", "[".repeat(100), "]".repeat(100))).unwrap());
    for _ in 0..100 {
        deep.meta = Some(vec![deep.meta.take().unwrap()].into());
    }
    assert!(refused(deep.encode()).contains("its `meta` is deeply nested"));
    assert!(!world.file("pets").exists());
}

#[test]
fn metadata_is_kept_and_filtered_by() {
    let world = World::with(&[]);
    let of_year = |id: &str, year: i64| {
        let mut doc = Doc::new(id.into(), "".into(), "".into(), "a cat".into());
        doc.meta = Some(json::read(&format!(r#"{{"year":{year},"path":"p"}}"#)).unwrap());
        doc.encode()
    };
    world
        .fill(vec![of_year("old", 1999), of_year("new", 2020), doc("bare", "a cat")].into(), "c")
        .unwrap();
    let answer = world.find("cat", "c", r#"{"year":{"at_least":2000}}"#);
    assert_eq!(answer.ids(), ["new"]);
    let hit = &answer.hits()[0];
    assert_eq!(json::write(hit.meta.as_ref().unwrap()), r#"{"year":2020,"path":"p"}"#);
    assert_eq!(hit.path.as_ref(), "");
}

#[test]
fn a_lost_or_damaged_index_is_made_again_from_its_documents() {
    let world = World::with(&[]);
    world.fill(docs(PETS), "pets").unwrap();
    for entry in fs::read_dir(world.cache()).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("named") {
            fs::remove_dir_all(path).unwrap();
        }
    }
    let answer = world.find("cat", "pets", "null");
    assert_eq!((answer.ids(), answer.indexed), (vec!["cat", "dog"], 1));
}

/// A process that is killed leaves its unfinished file and no lock.
#[test]
fn an_unfinished_change_is_not_seen() {
    let world = World::with(&[]);
    world.fill(docs(PETS), "pets").unwrap();
    fs::write(world.file("pets").with_file_name("documents.new"), b"{\"id\":\"half").unwrap();
    assert_eq!(world.find("cat", "pets", "null").ids(), ["cat", "dog"]);
    assert_eq!(world.fill(docs(&[("hen", "A hen.")]), "pets").unwrap(), r#"{"added":1,"total":3}"#);
}

#[test]
fn changes_at_once_come_one_after_the_other() {
    let world = World::with(&[]);
    std::thread::scope(|scope| {
        for turn in 0..4 {
            let world = &world;
            scope.spawn(move || {
                for step in 0..5 {
                    let id = format!("{turn}-{step}");
                    let word = format!("number{turn}x{step}");
                    world.fill(docs(&[(&id, &format!("A cat, {word}."))]), "pets").unwrap();
                    assert_eq!(world.find(&word, "pets", "null").ids(), [id.as_str()]);
                    if step % 2 == 1 {
                        let removed = world.take_out(ids(&[&id]), "pets").unwrap();
                        assert_eq!(removed, r#"{"removed":1}"#);
                    }
                }
            });
        }
    });
    assert_eq!(world.fill(docs(&[]), "pets").unwrap(), r#"{"added":0,"total":12}"#);
    assert_eq!(world.find("cat", "pets", "null").ids().len(), 10);
}

#[test]
fn without_a_cache_nothing_is_filled() {
    let world = World::new(TestHost::new().failing("/cache", io::ErrorKind::PermissionDenied));
    let err = world.fill(docs(PETS), "pets").unwrap_err();
    assert_eq!(err.kind, ErrorKind::Failed);
    assert!(err.message.starts_with("cannot use the index"), "{}", err.message);
    world.cancel.cancel();
    let cancelled = World { cancel: world.cancel.clone(), ..World::with(&[]) };
    let err = cancelled.fill(docs(PETS), "pets").unwrap_err();
    assert_eq!(err.kind, ErrorKind::Cancelled);
}
