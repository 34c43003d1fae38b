//! Tests of files of records that change: what a search finds is what a new index would find.

use std::path::Path;

use super::*;

/// What a hit says about its document.
fn seen(answer: &Answer) -> Vec<(String, String, String, i64, i64)> {
    let hits = answer.hits().iter();
    hits.map(|it| {
        (it.id.to_string(), it.text.to_string(), format!("{:.4}", it.score), it.start, it.end)
    })
    .collect()
}

/// Compares an index that has seen all edits with one that sees the file for the first time.
fn assert_as_new(world: &World, name: &str, content: &str, query: &str) {
    world.host.put(Path::new(name), content.as_bytes().to_vec());
    let fresh = World::with(&[(name, content)]);
    let (old, new) = (world.ask(query, name, 100, "words"), fresh.ask(query, name, 100, "words"));
    assert_eq!(seen(&old), seen(&new), "{content}");
    assert_eq!(old.notices, new.notices, "{content}");
    for hit in old.hits() {
        let place = |at: i64| usize::try_from(at).unwrap();
        let line = &content[place(hit.start)..place(hit.end)];
        assert!(line.contains(hit.text.as_ref()), "{line}");
    }
}

/// Numbers that only look random, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) as usize % end.max(1)
    }

    /// A record, a copy of one, an empty line, or a line that is not a record.
    fn line(&mut self, lines: &[String]) -> String {
        let id = self.below(40);
        match self.below(12) {
            0 => String::new(),
            1 => "no record".to_owned(),
            2 | 3 if !lines.is_empty() => lines[self.below(lines.len())].clone(),
            _ => {
                let words = ["cat", "dog", "bird", "cow"][self.below(4)].to_owned()
                    + &" fish".repeat(self.below(4));
                format!("{{\"id\": \"r{id}\", \"text\": \"{words}\"}}")
            }
        }
    }

    fn edit(&mut self, lines: &mut Vec<String>) {
        let at = self.below(lines.len() + 1);
        let line = self.line(lines);
        match self.below(6) {
            0 if at < lines.len() => drop(lines.remove(at)),
            1 if at < lines.len() => lines[at] = line,
            2 => lines.push(line),
            3 => lines.insert(at, line),
            4 if at < lines.len() => lines.rotate_left(at),
            _ => lines.truncate(lines.len().max(4) - self.below(3)),
        }
    }
}

#[test]
fn any_edits_end_in_what_a_new_index_finds() {
    for seed in 0..4 {
        let (mut dice, mut lines) = (Dice(seed), Vec::new());
        let world = World::with(&[]);
        for turn in 0..15 {
            (0..=dice.below(3)).for_each(|_| dice.edit(&mut lines));
            let end = ["\n", "\r\n", ""][turn % 3];
            let content = lines.join(if end.is_empty() { "\n" } else { end }) + end;
            assert_as_new(&world, "r.jsonl", &content, "cat fish bird");
        }
    }
}

#[test]
fn only_new_records_are_indexed() {
    let line = |id: usize| format!("{{\"id\": {id}, \"text\": \"cat number{id}\"}}\n");
    let mut content: String = (0..500).map(line).collect();
    let world = World::with(&[("r.jsonl", &content)]);
    world.ask("cat", "r.jsonl", 1, "words");
    let first = world.index_files(".store");
    assert_eq!(first.len(), 1);
    content += &line(500);
    assert_as_new(&world, "r.jsonl", &content, "number500");
    content = content.replacen("number3\"", "number3 moves the others\"", 1);
    assert_as_new(&world, "r.jsonl", &content, "number400 moves");
    content = content.replacen(&line(7), "", 1);
    assert_as_new(&world, "r.jsonl", &content, "number400 number7");
    // The segment of the first search still has all the others.
    let last = world.index_files(".store");
    assert!(last.contains(&first[0]), "{last:?}");
}

#[test]
fn a_list_of_records_is_updated_and_may_become_plain_text() {
    let world = World::with(&[]);
    for content in [
        r#"[{"id": 1, "text": "a cat"}, {"id": 2, "text": "a dog"}]"#,
        r#"[ {"id": 0, "text": "cat fish"}, {"id": 2, "text": "a dog"} , {"id": 1, "text": "a cat"}]"#,
        r#"[{"id": 1, "text": "a cat"} cat"#,
        r#"[{"id": 2, "text": "a dog"}, {"id": 3, "text": "a cat"}]"#,
        "[]",
    ] {
        world.host.put(Path::new("r.json"), content.as_bytes().to_vec());
        let fresh = World::with(&[("r.json", content)]);
        let ask = |world: &World| seen(&world.ask("cat dog", "r.json", 10, "words"));
        assert_eq!(ask(&world), ask(&fresh), "{content}");
    }
}

#[test]
fn many_edits_at_once_index_the_file_again() {
    let line = |id: usize, text: &str| format!("{{\"id\": {id}, \"text\": \"cat {text}\"}}\n");
    let first: String = (0..2_400).map(|it| line(it, "first")).collect();
    let second: String =
        (0..2_400).map(|it| line(it, if it % 2 == 0 { "other" } else { "first" })).collect();
    let third: String =
        (0..2_400).map(|it| line(it, if it % 2 == 0 { "longest" } else { "first" })).collect();
    let world = World::with(&[]);
    for content in [&first, &second, &third] {
        assert_as_new(&world, "r.jsonl", content, "cat longest");
    }
}
