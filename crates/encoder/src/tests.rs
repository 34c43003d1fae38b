use std::collections::HashMap;

use super::*;

/// A folder with a tiny model: one layer of four numbers in two heads, whose weights follow a rule.
fn tiny() -> HashMap<&'static str, Vec<u8>> {
    let config = r#"{"model_type":"bert","hidden_act":"gelu","hidden_size":4,"intermediate_size":8,
        "num_attention_heads":2,"num_hidden_layers":1,"max_position_embeddings":8,
        "type_vocab_size":2,"vocab_size":9,"layer_norm_eps":1e-12}"#;
    let vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\ndog\n##s\n.\n猫\n";
    HashMap::from([
        (CONFIG, config.into()),
        (WEIGHTS, weights(|_| true)),
        (VOCABULARY, vocabulary.into()),
    ])
}

/// The tensors of the tiny model whose names are kept, as a safetensors file.
fn weights(keep: impl Fn(&str) -> bool) -> Vec<u8> {
    let layer = "encoder.layer.0.";
    let mut shapes: Vec<(String, Vec<usize>)> = vec![
        ("embeddings.word_embeddings.weight".into(), vec![9, 4]),
        ("embeddings.position_embeddings.weight".into(), vec![8, 4]),
        ("embeddings.token_type_embeddings.weight".into(), vec![2, 4]),
    ];
    let dense = [
        ("attention.self.query", 4, 4),
        ("attention.self.key", 4, 4),
        ("attention.self.value", 4, 4),
        ("attention.output.dense", 4, 4),
        ("intermediate.dense", 8, 4),
        ("output.dense", 4, 8),
    ];
    for (name, to, from) in dense {
        shapes.push((format!("{layer}{name}.weight"), vec![to, from]));
        shapes.push((format!("{layer}{name}.bias"), vec![to]));
    }
    for name in ["embeddings.", "encoder.layer.0.attention.output.", "encoder.layer.0.output."] {
        shapes.push((format!("{name}LayerNorm.weight"), vec![4]));
        shapes.push((format!("{name}LayerNorm.bias"), vec![4]));
    }
    let (mut header, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, shape) in shapes.iter().filter(|it| keep(&it.0)) {
        let start = data.len();
        for place in 0..shape.iter().product::<usize>() {
            let number = math::number((place * 7 + name.len() * 3) % 11) / 5.0 - 1.0;
            data.extend(number.to_le_bytes());
        }
        let entry = serde_json::json!({
            "dtype": "F32", "shape": shape, "data_offsets": [start, data.len()],
        });
        header.insert(name.clone(), entry);
    }
    let header = serde_json::to_vec(&header).unwrap();
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header);
    file.extend(data);
    file
}

fn read(files: &HashMap<&str, Vec<u8>>) -> Result<Encoder, Unusable> {
    Encoder::read(|name| files.get(name).map(Vec::as_slice))
}

fn why(files: &HashMap<&str, Vec<u8>>) -> String {
    read(files).err().unwrap().to_string()
}

#[test]
fn words_become_the_longest_known_pieces() {
    let encoder = read(&tiny()).unwrap();
    assert_eq!(encoder.ids("Cats, DOG."), [2, 4, 6, 1, 5, 7, 3]);
    assert_eq!(encoder.ids("cát\u{200b}s 猫猫"), [2, 4, 6, 8, 8, 3]);
    assert_eq!(encoder.ids("catdog"), [2, 1, 3]);
    assert_eq!(encoder.ids(""), [2, 3]);
    assert_eq!(encoder.ids(&"x".repeat(101)), [2, 1, 3]);
    assert_eq!(encoder.ids(&"cat ".repeat(1_000_000)).len(), 8, "as many as there are positions");
}

#[test]
fn vectors_have_length_one_and_depend_on_their_text_alone() {
    let encoder = read(&tiny()).unwrap();
    let (cat, dog) = (encoder.encode("cat"), encoder.encode("dog"));
    assert_eq!(cat.len(), encoder.dimensions());
    assert!((cat.iter().map(|it| it * it).sum::<f32>() - 1.0).abs() < 1e-5);
    assert_ne!(cat, dog);
    assert_eq!(cat, encoder.encode("CAT"));
}

#[test]
fn broken_folders_are_refused() {
    let with = |name, content: &[u8]| {
        let mut files = tiny();
        files.insert(name, content.to_vec());
        why(&files)
    };
    let config = String::from_utf8(tiny()[CONFIG].clone()).unwrap();
    let changed = |from: &str, to: &str| with(CONFIG, config.replace(from, to).as_bytes());
    assert_eq!(
        changed("\"bert\"", "\"t5\""),
        "`config.json`: expected `bert` for `model_type`, found `t5`"
    );
    assert!(changed("heads\":2", "heads\":3").contains("cannot be divided into 3 heads"));
    assert!(changed("heads\":2", "heads\":0").contains("0 heads"));
    assert!(changed("layers\":1", "layers\":2").contains("no tensor `encoder.layer.1."));
    assert!(changed("layers\":1", "layers\":99999").contains("more than 48 layers"));
    assert!(changed("_size\":9", "_size\":3").contains("the vocabulary has 9"));
    assert!(changed("hidden_size\":4", "hidden_size\":8").contains("expected [9, 8]"));
    assert!(with(WEIGHTS, &[]).starts_with("`model.safetensors`: "));
    assert!(with(WEIGHTS, &[255; 64]).starts_with("`model.safetensors`: "));
    assert!(with(WEIGHTS, &weights(|it| !it.contains("query"))).contains("no tensor"));
    assert!(with(VOCABULARY, b"cat\n").contains("no piece `[CLS]`"));
    assert!(with(VOCABULARY, &[0xff]).contains("utf-8"));
    assert!(with(POOLING, b"{}").contains("pooling_mode_mean_tokens"));
    for missing in [CONFIG, WEIGHTS, VOCABULARY] {
        let mut files = tiny();
        files.remove(missing);
        assert_eq!(why(&files), format!("`{missing}`: it is missing"));
    }
}
