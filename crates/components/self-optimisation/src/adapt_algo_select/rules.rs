//! What is known about algorithms: for which tasks they are, and when each works well.

use super::Situation;

/// Changes of a score, and why; `None` excludes an algorithm.
pub(super) type Judged = Option<Vec<(f64, String)>>;

/// A thing that does a task, and where it is in this program.
pub(super) struct Rule {
    pub task: &'static str,
    pub name: &'static str,
    pub component: &'static str,
    pub op: &'static str,
    /// How good it usually is among those of its task.
    pub usual: f64,
    pub reason: &'static str,
    /// What speaks for or against it in a situation: a change of the score, and why; `None` excludes it.
    pub judge: fn(&Situation) -> Judged,
}

/// Tasks that are known, by the words that users have for them.
pub(super) const TASKS: &[(&str, &[&str])] = &[
    ("classification", &["classify", "classifier", "predict a class", "churn", "fraud", "spam"]),
    ("regression", &["predict a number", "price prediction", "estimation of a number"]),
    ("ab_test", &["a/b test", "experiment", "conversion", "variants"]),
    ("estimation", &["rate", "mean", "uncertainty", "bayesian", "credible interval"]),
    ("diagnosis", &["bayesian network", "causes", "belief network"]),
    ("search", &["retrieval", "find documents", "full text search", "semantic search"]),
    ("ranking", &["rerank", "reranking", "rank", "learning to rank"]),
    ("question_answering", &["rag", "answer questions", "qa"]),
    ("summarization", &["summarisation", "summary", "summarize"]),
    ("keywords", &["keyword extraction", "key phrases", "topics"]),
    ("entities", &["named entity recognition", "ner", "extract entities"]),
    ("deduplication", &["duplicates", "dedupe", "near duplicates"]),
    ("clustering", &["cluster", "segmentation"]),
    ("forecasting", &["forecast", "time series"]),
    ("anomaly_detection", &["anomaly", "outliers", "outlier detection"]),
    ("recommendation", &["recommender", "recommend items"]),
    ("optimization", &["optimisation", "scheduling", "routing", "planning"]),
];

/// Whether learning from a table fits the limits of `adapt_automl`.
fn fits_table(it: &Situation) -> bool {
    (10..=50_000).contains(&it.rows) && it.features.is_none_or(|it| it <= 200)
}

fn linear(it: &Situation) -> Judged {
    if !fits_table(it) {
        return None;
    }
    let mut all = Vec::new();
    if it.is_interpretable {
        all.push((0.2, "its weights can be read".to_owned()));
    }
    if it.is_fast {
        all.push((0.1, "a prediction is one sum".to_owned()));
    }
    if it.rows < 500 {
        all.push((0.15, format!("{} rows are few: simple models generalise better", it.rows)));
    }
    match it.rows_per_feature() {
        Some(few) if few < 10.0 => {
            all.push((0.1, format!("{few:.1} rows per feature: it is regularised")));
        }
        Some(many) if many > 200.0 => {
            all.push((-0.05, "so many rows show curves that it cannot follow".to_owned()));
        }
        _ => {}
    }
    Some(all)
}

fn trees(it: &Situation) -> Judged {
    if !fits_table(it) || it.is_interpretable {
        return None;
    }
    let mut all = Vec::new();
    if it.rows < 100 {
        all.push((-0.2, format!("{} rows are few for trees", it.rows)));
    }
    if it.is_fast {
        all.push((-0.1, "a prediction walks 200 trees".to_owned()));
    }
    Some(all)
}

fn boosting(it: &Situation) -> Judged {
    let mut all = trees(it)?;
    if it.rows >= 1_000 {
        all.push((
            0.15,
            "on tables of this size, boosted trees are usually the best (Grinsztajn et al. 2022)"
                .to_owned(),
        ));
    } else {
        all.push((-0.15, "below 1,000 rows it tends to learn noise".to_owned()));
    }
    Some(all)
}

fn neighbours(it: &Situation) -> Judged {
    if !fits_table(it) || it.is_interpretable {
        return None;
    }
    let mut all = Vec::new();
    if it.features.is_some_and(|it| it > 30) {
        all.push((-0.2, "with many features, all rows are equally far".to_owned()));
    }
    if it.rows > 10_000 || it.is_fast {
        all.push((-0.2, "every prediction reads all rows".to_owned()));
    }
    Some(all)
}

fn naive(it: &Situation) -> Judged {
    if !fits_table(it) {
        return None;
    }
    let mut all = Vec::new();
    if it.rows < 100 {
        all.push((0.15, "it learns from few rows".to_owned()));
    }
    if it.is_fast {
        all.push((0.1, "it learns and predicts at once".to_owned()));
    }
    if it.is_interpretable {
        all.push((0.1, "each column counts by itself".to_owned()));
    }
    Some(all)
}

#[expect(clippy::unnecessary_wraps, reason = "all rules have one type")]
fn always(_: &Situation) -> Judged {
    Some(Vec::new())
}

/// Algorithms that read every pair or keep everything in memory.
fn up_to_100_000(it: &Situation) -> Judged {
    (it.rows <= 100_000).then(Vec::new)
}

fn learnt(it: &Situation) -> Judged {
    (it.rows >= 10).then(|| vec![(0.05, format!("{} rows suffice to learn from", it.rows))])
}

const fn rule(
    task: &'static str,
    name: &'static str,
    (component, op): (&'static str, &'static str),
    usual: f64,
    judge: fn(&Situation) -> Judged,
    reason: &'static str,
) -> Rule {
    Rule { task, name, component, op, usual, reason, judge }
}

const AUTO: (&str, &str) = ("adapt_automl", "compare");
const BAYES: (&str, &str) = ("adapt_bayes", "infer");

pub(super) const RULES: &[Rule] = &[
    rule(
        "classification",
        "gradient_boosting",
        AUTO,
        0.65,
        boosting,
        "follows curves and interactions, and needs no scaling",
    ),
    rule("classification", "random_forest", AUTO, 0.65, trees, "works well without tuning"),
    rule(
        "classification",
        "extra_trees",
        AUTO,
        0.62,
        trees,
        "like a forest, with less variance and quicker to learn",
    ),
    rule(
        "classification",
        "logistic_regression",
        AUTO,
        0.6,
        linear,
        "a weight for each feature, with probabilities",
    ),
    rule(
        "classification",
        "nearest_neighbours",
        AUTO,
        0.5,
        neighbours,
        "follows any border where similar rows have equal classes",
    ),
    rule(
        "classification",
        "naive_bayes",
        AUTO,
        0.4,
        naive,
        "assumes that features are independent",
    ),
    rule(
        "regression",
        "gradient_boosting",
        AUTO,
        0.65,
        boosting,
        "follows curves and interactions, and needs no scaling",
    ),
    rule("regression", "random_forest", AUTO, 0.65, trees, "works well without tuning"),
    rule(
        "regression",
        "extra_trees",
        AUTO,
        0.62,
        trees,
        "like a forest, with less variance and quicker to learn",
    ),
    rule(
        "regression",
        "ridge_regression",
        AUTO,
        0.6,
        linear,
        "a weight for each feature, kept small",
    ),
    rule("regression", "nearest_neighbours", AUTO, 0.5, neighbours, "the mean of similar rows"),
    rule(
        "regression",
        "bayesian_linear_regression",
        BAYES,
        0.5,
        linear,
        "weights with their uncertainty",
    ),
    rule(
        "ab_test",
        "bayesian_ab_test",
        BAYES,
        0.8,
        always,
        "the probability that a variant is better, and what a wrong choice costs",
    ),
    rule("estimation", "beta_binomial", BAYES, 0.7, always, "exact for rates of yes and no"),
    rule("estimation", "normal", BAYES, 0.65, always, "exact for means of numbers"),
    rule("estimation", "poisson_gamma", BAYES, 0.6, always, "exact for counts per unit"),
    rule(
        "diagnosis",
        "bayesian_network",
        BAYES,
        0.8,
        always,
        "exact probabilities of causes, if the tables are known",
    ),
    rule(
        "search",
        "bm25",
        ("ctx_search", "infer"),
        0.75,
        always,
        "finds words, also in large collections",
    ),
    rule(
        "search",
        "by_meaning",
        ("ctx_vectors", "by_meaning"),
        0.6,
        up_to_100_000,
        "finds other words for the same thing",
    ),
    rule(
        "search",
        "rerank",
        ("ctx_rerank", "infer"),
        0.55,
        always,
        "puts the first hits of another search in a better order",
    ),
    rule(
        "ranking",
        "learnt_rerank",
        ("ctx_rerank", "learn"),
        0.7,
        learnt,
        "weighs the evidence as your judgements say",
    ),
    rule(
        "ranking",
        "rerank",
        ("ctx_rerank", "infer"),
        0.65,
        always,
        "words together, titles and given scores, with fixed weights",
    ),
    rule(
        "ranking",
        "reciprocal_rank_fusion",
        ("ctx_rerank", "fuse"),
        0.6,
        always,
        "joins several rankings without scores that compare",
    ),
    rule(
        "question_answering",
        "passages",
        ("ctx_rag", "infer"),
        0.75,
        always,
        "finds the passages that answer, with their sources",
    ),
    rule(
        "summarization",
        "lexrank",
        ("ctx_summary", "infer"),
        0.7,
        always,
        "chooses the sentences that say what the others say",
    ),
    rule(
        "keywords",
        "yake",
        ("ctx_keywords", "infer"),
        0.7,
        always,
        "needs no training and no other documents",
    ),
    rule(
        "entities",
        "rules_and_shapes",
        ("ctx_entities", "infer"),
        0.65,
        always,
        "codes by checksums, names by their shape",
    ),
    rule(
        "entities",
        "learnt_tagger",
        ("ctx_entities", "learn"),
        0.6,
        learnt,
        "learns your own kinds from marked texts",
    ),
    rule(
        "deduplication",
        "near_duplicates",
        ("context_engine", "dedupe"),
        0.7,
        up_to_100_000,
        "compares the words of texts",
    ),
    rule(
        "deduplication",
        "exact_duplicates",
        ("list", "unique"),
        0.6,
        always,
        "equal values, or equal keys",
    ),
];
