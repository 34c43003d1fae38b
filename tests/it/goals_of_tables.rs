//! Questions about tables and texts that people asked and that once had a wrong answer, or none. The
//! scripts run, and their results count.

use super::sources::{place, refused, results};

const SENSORS: &str = "timestamp,sensor,temperature,humidity\n\
    2026-03-01T00:00:00,attic,24.5,67\n2026-03-01T03:00:00,cellar,13.5,\n\
    2026-03-02T00:00:00,attic,31.5,60\n2026-03-02T03:00:00,cellar,16.5,56\n";

const ORDERS: &str = "order_id,order_date,product,quantity,unit_price,status,shipped_date\n\
    5001,2026-01-05,desk,2,300.0,shipped,2026-01-09\n5002,2026-01-20,lamp,1,40.0,returned,2026-01-22\n\
    5003,2026-02-02,desk,1,300.0,pending,\n5004,2026-02-10,chair,4,120.0,shipped,2026-02-12\n";

const EXPENSES: &str = "Date,Payee,Category,Amount\n03/02/2026,Staples,Office,$84.20\n\
    07/02/2026,Lufthansa,Travel,\"$1,240.00\"\n15/03/2026,Hotel,Travel,$612.40\n\
    20/03/2026,Staples,Office,$10.00\n";

const FILES: &[(&str, &str)] =
    &[("sensors.csv", SENSORS), ("orders.csv", ORDERS), ("expenses.csv", EXPENSES)];

#[test]
fn the_best_of_each_group_is_no_sum() {
    let place = place(FILES);
    let highest = "sensor\ttemperature\nattic\t31.5\ncellar\t16.5";
    results(
        place.path(),
        &[
            ("highest temperature of each sensor in sensors.csv", highest),
            ("hottest reading of each sensor sensors.csv", highest),
            (
                "lowest temperature per sensor in sensors.csv",
                "sensor\ttemperature\nattic\t24.5\ncellar\t13.5",
            ),
            ("avg temp per sensor sensors.csv", "sensor\ttemperature\nattic\t28.0\ncellar\t15.0"),
        ],
    );
    refused(place.path(), &["best temperature per sensor in sensors.csv"]);
}

#[test]
fn measures_are_not_dropped_and_ids_not_summed() {
    let place = place(FILES);
    results(
        place.path(),
        &[
            (
                "the mean and the median of the humidity in sensors.csv",
                "avg_humidity     61.0\nmedian_humidity  60.0",
            ),
            ("p50 of temperature in sensors.csv", "20.5"),
            ("orders per month from orders.csv", "month\tcount\n2026-01\t2\n2026-02\t2"),
            ("pct of orders returned orders.csv", "25.0"),
            (
                "In orders.csv, how many days on average pass between order_date and shipped_date?",
                "2.6666666666666665",
            ),
            (
                "total revenue (quantity times unit_price) of the shipped orders in orders.csv",
                "1080.0",
            ),
        ],
    );
    refused(place.path(), &["sum of the colour in sensors.csv", "sum of colour in orders.csv"]);
}

#[test]
fn what_has_several_rows_is_named_once() {
    let place = place(FILES);
    results(
        place.path(),
        &[
            ("the two most expensive products in orders.csv", "desk\nchair"),
            ("the two most expensive distinct products in orders.csv", "desk\nchair"),
            ("All the products in orders.csv, each only once", "desk\nlamp\nchair"),
        ],
    );
}

#[test]
fn amounts_and_dates_are_read_as_people_write_them() {
    let place = place(FILES);
    results(
        place.path(),
        &[
            (
                "total spending per category in expenses.csv",
                "Category\tAmount\nOffice\t94.2\nTravel\t1852.4",
            ),
            ("how much did we spend on travel in march 2026? see expenses.csv", "612.4"),
            ("who was paid the most in expenses.csv? just the payee", "Lufthansa"),
            ("monthly totals of expenses.csv", "month\tAmount\n2026-02\t1324.2\n2026-03\t622.4"),
            ("how many rows of sensors.csv are before 2 March 2026?", "2"),
        ],
    );
    // A time of day is not a day.
    refused(place.path(), &["rows of sensors.csv after 2026-03-01 02:00"]);
}

#[test]
fn rows_are_counted_not_their_kinds_and_blanks_do_not_win() {
    let place = place(&[
        (
            "door.jsonl",
            "{\"level\":\"info\",\"event\":\"open\"}\n{\"level\":\"info\",\"event\":\"open\"}\n{\"level\":\"warn\",\"event\":\"shut\"}\n",
        ),
        ("lessons.csv", "pupil,remark\nA,late\nB,\nC,\nD,late\nE,\n"),
    ]);
    results(
        place.path(),
        &[
            ("How many events of each level are in door.jsonl?", "level\tcount\ninfo\t2\nwarn\t1"),
            ("the most common remark in lessons.csv", "late"),
        ],
    );
}

#[test]
fn texts_are_cleaned_searched_and_compared() {
    let place = place(&[
        ("ideas.txt", "gift cards\n newsletter\n\nnewsletter\n"),
        ("people.txt", "Ada <ada@example.com>, call 1. Bob: bob@example.org; ada@example.com\n"),
        ("a.txt", "desk\nlamp\nrack\n"),
        ("b.txt", "lamp\nchair\n"),
        ("note.txt", "The desk and the desk and a lamp.\n"),
    ]);
    results(
        place.path(),
        &[
            (
                "trim the lines of ideas.txt, drop the empty ones and the duplicates",
                "gift cards\nnewsletter",
            ),
            ("the unique email addresses in people.txt", "ada@example.com\nbob@example.org"),
            ("What is in a.txt but not in b.txt?", "desk\nrack"),
            ("lines in both a.txt and b.txt", "lamp"),
            ("the 2 most common words in note.txt", "word\tcount\nthe\t2\ndesk\t2"),
            ("in note.txt replace \"desk\" with \"table\"", "The table and the table and a lamp."),
        ],
    );
    refused(
        place.path(),
        &[
            "print the lines of ideas.txt that start with gift, without gift",
            "headings of ideas.txt as numbered list",
        ],
    );
}

const SUPPLIERS: &str = "product,supplier,mail\ndesk,Oak Ltd,oak@a.example\nlamp,Lux,lux@b.example\n\
    shelf,Oak Ltd,shelf@a.example\n";

const EVENTS: &str = "user,action,ms\nmia,delete,10\nmia,login,20\nmia,delete,15\nquinn,delete,2500\n\
    noah,login,30\n";

const SETTINGS: &str = "theme = \"dark\"\n\n[server]\nport = 80\n";

const SALES: &str = "order_id,date,region,qty,paid,shipped\n1,2026-01-05,North,2,true,2026-01-09\n\
    2,2026-04-20,South,1,false,\n3,2026-05-02,North,4,true,\n";

const MORE_FILES: &[(&str, &str)] = &[
    ("orders.csv", ORDERS),
    ("suppliers.csv", SUPPLIERS),
    ("events.csv", EVENTS),
    ("settings.toml", SETTINGS),
    ("users.csv", "user,mail\nquinn,quinn@a.example\n"),
    ("sales.csv", SALES),
];

#[test]
fn rows_are_called_as_their_id_is() {
    let place = place(MORE_FILES);
    results(
        place.path(),
        &[
            ("how many orders are in sales.csv?", "3"),
            (
                "the paid orders of sales.csv",
                "order_id\tdate\tregion\tqty\tpaid\tshipped\n\
                 1\t2026-01-05\tNorth\t2\ttrue\t2026-01-09\n3\t2026-05-02\tNorth\t4\ttrue",
            ),
            ("total quantity per region in sales.csv", "region\tqty\nNorth\t6\nSouth\t1"),
            ("number of orders per quarter in sales.csv", "quarter\tcount\n2026-Q1\t1\n2026-Q2\t2"),
            ("how many orders from January 2026 are in sales.csv", "1"),
        ],
    );
}

#[test]
fn the_most_of_something_is_counted() {
    let place = place(MORE_FILES);
    results(
        place.path(),
        &[
            ("which user has the most deletes in events.csv?", "mia"),
            (
                "events in events.csv that took at least 2 seconds",
                "user\taction\tms\nquinn\tdelete\t2500",
            ),
            (
                "the average ms per action in events.csv, in at most 5 seconds",
                "action\tms\ndelete\t841.6666666666666\nlogin\t25.0",
            ),
        ],
    );
    refused(
        place.path(),
        &[
            "who deletes the most in events.csv?",
            "events in events.csv before 8 am",
            "events.csv with only one row per user",
            "users with an average ms over 100 in events.csv",
            "turn server on in settings.toml",
        ],
    );
}

#[test]
fn two_tables_are_joined_and_compared() {
    let place = place(MORE_FILES);
    results(
        place.path(),
        &[
            (
                "which products in suppliers.csv have no orders in orders.csv?",
                "product\tsupplier\tmail\nshelf\tOak Ltd\tshelf@a.example",
            ),
            (
                "join events.csv with users.csv on user",
                "user\taction\tms\tmail\nquinn\tdelete\t2500\tquinn@a.example",
            ),
            (
                "add the mail from users.csv to each event of events.csv",
                "user\taction\tms\tmail\nmia\tdelete\t10\t\nmia\tlogin\t20\t\n\
                 mia\tdelete\t15\t\nquinn\tdelete\t2500\tquinn@a.example\nnoah\tlogin\t30",
            ),
        ],
    );
    refused(
        place.path(),
        &[
            "which products cost more in orders.csv than in suppliers.csv",
            "orders.csv and suppliers.csv",
        ],
    );
}

#[test]
fn documents_are_converted_whole() {
    let place = place(MORE_FILES);
    results(
        place.path(),
        &[(
            "settings.toml as json",
            "{\n  \"server\": {\n    \"port\": 80\n  },\n  \"theme\": \"dark\"\n}",
        )],
    );
}

const STAFF: &str = "id,name,team,salary,hired,ok\n1,Ada,North,90000,2016-03-14,true\n\
    2,Ben,South,70000,2019-07-06,false\n3,Cy,North,80000,2012-01-02,true\n4,Dee,South,60000,2020-05-03,true\n";

#[test]
fn what_people_say_of_money_time_and_outcomes() {
    let place = place(&[("staff.csv", STAFF)]);
    results(
        place.path(),
        &[
            ("names of everyone from staff.csv earning more than $75,000", "Ada\nCy"),
            ("names of the top 2 highest paid people in staff.csv", "Ada\nCy"),
            ("who is the longest serving in staff.csv?", "Cy"),
            ("how many people in staff.csv were hired on a weekend?", "2"),
            ("names in staff.csv that failed", "Ben"),
            (
                "names in staff.csv from best to worst salary",
                "name\tsalary\nAda\t90000\nCy\t80000\nBen\t70000\nDee\t60000",
            ),
            ("which teams occur more than once in staff.csv?", "North\nSouth"),
        ],
    );
}

const DEALS: &str = "deal_id,owner,value,opened,closed,won\n1,Ida,1000,2026-01-03,2026-02-01,true\n\
    2,Jan,2500,2026-01-10,,false\n3,Ida,400,2026-02-14,2026-03-02,true\n4,Kim,900,2026-03-21,,false\n\
    5,Jan,3100,2026-04-04,2026-05-09,true\n";

#[test]
fn conditions_choose_what_is_counted_and_totals_are_not_rows() {
    let place = place(&[("deals.csv", DEALS), ("people.csv", "owner,age\nIda,41\nJan,35\n")]);
    results(
        place.path(),
        &[
            ("which owner has the most won deals in deals.csv?", "Ida"),
            ("how many deals are open in deals.csv?", "2"),
            ("how many deals in deals.csv were won, in at most 3 seconds", "3"),
            ("which owners in deals.csv are missing in people.csv?", "owner\nKim"),
        ],
    );
    refused(
        place.path(),
        &[
            "owners with a total value over 3000 in deals.csv",
            "owners whose average value is above 1000 in deals.csv",
        ],
    );
}
