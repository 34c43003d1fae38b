//! What the guide looks at when a goal names a folder, an archive or a text with a table in it. The
//! scripts run, and their results count.

use std::{fs, path::Path};

use super::guide::{err, out, svc};

/// A place with files, some of them in folders.
pub(super) fn place(files: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = place.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    place
}

/// The results of goals about the same files.
pub(super) fn results(place: &Path, goals: &[(&str, &str)]) {
    for (goal, wanted) in goals {
        let done = svc(place, &["guide", "plan", goal, "-o", ".goal.svc"]);
        assert!(done.status.success(), "{goal}: {}", err(&done));
        let done = svc(place, &["run", "--no-store", ".goal.svc"]);
        assert!(done.status.success(), "{goal}: {}", err(&done));
        assert_eq!(out(&done).trim(), *wanted, "{goal}");
        fs::remove_file(place.join(".goal.svc")).unwrap();
    }
}

pub(super) fn refused(place: &Path, goals: &[&str]) {
    for goal in goals {
        let done = svc(place, &["guide", "plan", goal]);
        assert_eq!(done.status.code(), Some(6), "{goal}: {}", out(&done));
    }
}

const JOURNAL: &[(&str, &str)] = &[
    ("journal/01-03.txt", "Rain the whole day.\nURGENT: call Bea\n"),
    ("journal/01-05.txt", "Train to Leeds.\nNo rain at all.\nDinner with Paula.\n"),
    ("journal/01-09.txt", "Bought a drained old boat.\n"),
    ("journal/plan.md", "URGENT: paint the boat\nURGENT: sell it\n"),
];

#[test]
fn files_of_a_folder_are_chosen_and_counted() {
    let place = place(JOURNAL);
    results(
        place.path(),
        &[
            // A word, not a part of `drained`, whatever its case.
            ("which files in the folder journal mention rain?", "01-03.txt\n01-05.txt"),
            ("which .txt files in journal/ do not mention rain?", "01-09.txt"),
            ("how many files in the folder journal contain \"URGENT\"?", "2"),
            ("which file in the folder journal has the most words?", "01-05.txt"),
            (
                "for each file in journal/*.txt: how many lines contain URGENT? highest first, show \
                 the files with none too",
                "file\tcount\n01-03.txt\t1\n01-05.txt\t0\n01-09.txt\t0",
            ),
            (
                "How often does each day in the folder journal mention rain? There is one file per \
                 day. Leave out days without any.",
                "file\tcount\n01-03.txt\t1\n01-05.txt\t1",
            ),
            ("how many .md files are in the folder journal?", "1"),
        ],
    );
    refused(
        place.path(),
        &[
            "which files in the folder journal mention snow?",
            "the first word of each file in the folder journal",
            "e-mail me the files in the folder journal that mention rain",
            "which files in the folder journal mention rain, and how many lines do they have?",
        ],
    );
}

#[test]
fn lines_of_all_files_are_collected() {
    let place = place(JOURNAL);
    results(
        place.path(),
        &[
            ("how many lines of the files in journal/ start with \"URGENT\"?", "3"),
            (
                "In how many places in the folder journal is there an open task, i.e. \"URGENT\"?",
                "3",
            ),
            (
                "collect every open task (the ones starting with \"URGENT\") from all the files in the \
                 journal folder and write them to open.txt",
                "open.txt",
            ),
        ],
    );
    let open = fs::read_to_string(place.path().join("open.txt")).unwrap();
    assert_eq!(open.trim(), "URGENT: call Bea\nURGENT: paint the boat\nURGENT: sell it");
}

#[test]
fn tables_of_a_folder_are_one_table() {
    let place = place(&[
        ("shifts/march.csv", "day,employee,hours\n2024-03-01,Ana,8\n2024-03-02,Ben,6\n"),
        ("shifts/april.csv", "day,employee,hours\n2024-04-01,Ana,7\n2024-04-02,Cy,9\n"),
        ("stores/ghent.json", r#"{"city":"Ghent","staff":12,"open":true}"#),
        ("stores/namur.json", r#"{"city":"Namur","staff":21,"open":false}"#),
    ]);
    results(
        place.path(),
        &[
            (
                "total hours per employee in shifts/*.csv, highest first",
                "employee\thours\nAna\t15\nCy\t9\nBen\t6",
            ),
            ("employees in the folder shifts with more than 8 hours", "Cy"),
            ("how many stores in the folder stores are open?", "1"),
            ("city of the store in stores/ with the most staff", "Namur"),
        ],
    );
}

/// `tales/anna.txt`, `tales/bert.txt` and `towns.csv`.
const ZIP: &[u8] = include_bytes!("sources/tales.zip");

/// `door.log`.
const GZIP: &[u8] = include_bytes!("sources/door.log.gz");

#[test]
fn what_is_in_an_archive_is_looked_at() {
    let place = tempfile::tempdir().unwrap();
    for (name, content) in [("tales.zip", ZIP), ("door.log.gz", GZIP)] {
        fs::write(place.path().join(name), content).unwrap();
    }
    results(
        place.path(),
        &[
            ("which text files in tales.zip mention a cat?", "tales/anna.txt"),
            (
                "In tales.zip there is one text per child. Whose text has the most words?",
                "tales/bert.txt",
            ),
            ("what does tales/anna.txt inside tales.zip say?", "One cat and one dog."),
            ("total people in towns.csv inside tales.zip", "840"),
            ("how many lines of door.log.gz mention an alarm?", "2"),
            ("how many files are in tales.zip?", "3"),
        ],
    );
    refused(
        place.path(),
        &["unpack tales.zip into the folder out", "which files in tales.zip mention a cow?"],
    );
}

#[test]
fn texts_with_a_shape_are_tables() {
    let place = place(&[
        (
            "app.log",
            "2025-03-04 06:00:01 INFO  [boot] started\n2025-03-04 06:00:03 ERROR [db] no route\n\n\
             2025-03-04 07:00:04 ERROR [db] reset by peer\n2025-03-05 06:12:40 WARN  [mail] queue\n",
        ),
        (
            "disk.txt",
            "Filesystem      Size Use% Mounted on\n/dev/sda1        50G  42% /\n/dev/sda2       200G  \
             86% /var\n",
        ),
        ("app.env", "# api\nDB_PORT=5432\nDB_PASSWORD=\n\nLOG_LEVEL=warn # quiet\n"),
        ("server.ini", "; new\n[http]\ntimeout = 30\n[db]\ntimeout = 5\n"),
        (
            "team.md",
            "# Team\n\n| Name | Role | Days |\n|------|:----:|---|\n| Ada | dev | 5 |\n| Bo | ops | 3 |\n",
        ),
        (
            "refs.bib",
            "@book{ito,\n  author = {Ito, K.},\n  title = {Water},\n  year = {2008}\n}\n@article{roy,\n  \
             author = {Roy, A.},\n  title = {Dikes},\n  year = {2020}\n}\n",
        ),
    ]);
    results(
        place.path(),
        &[
            ("how many errors are in app.log?", "2"),
            (
                "number of entries per level in app.log, highest first",
                "level\tcount\nERROR\t2\nINFO\t1\nWARN\t1",
            ),
            ("how many lines of app.log contain \"db\"?", "2"),
            ("which filesystem in disk.txt has the highest use percent?", "/dev/sda2"),
            ("what is DB_PORT in app.env?", "5432"),
            ("timeout of the db in server.ini?", "5"),
            ("names of everybody in team.md who is ops", "Bo"),
            ("titles in refs.bib published after 2010", "Dikes"),
            ("how many references in refs.bib are articles?", "1"),
        ],
    );
    // What is not a value in it is not a row of it either.
    refused(place.path(), &["how many alarms are in app.log?", "how many papers are in refs.bib?"]);
}

#[test]
fn records_by_their_names_are_rows() {
    let place = place(&[
        (
            "deploy.yaml",
            "name: shop\nservices:\n  web:\n    replicas: 2\n  api:\n    replicas: 4\n",
        ),
        (
            "deadlines.toml",
            "author = \"Mira\"\n[chapter1]\ndue = \"2025-09-15\"\nwords = 6500\n[chapter2]\ndue = \
             \"2025-11-03\"\nwords = 8200\n",
        ),
        (
            "plan.json",
            r#"{"phases":[{"phase":1,"due":"2026-02-01"},{"phase":2,"due":"2026-03-01"}]}"#,
        ),
    ]);
    results(
        place.path(),
        &[
            ("which services in deploy.yaml have more than 2 replicas?", "api"),
            ("total replicas in deploy.yaml", "6"),
            ("total words of the chapters in deadlines.toml", "14700"),
            ("when is chapter 2 due, according to deadlines.toml?", "2025-11-03"),
            ("when is phase 2 due in plan.json?", "2026-03-01"),
        ],
    );
}
