//! Cases 11, 12, 41, 44 to 47 and 51 of the dialect as far as parsing goes, and the plain
//! parameters.

use proptest::prelude::{prop, prop_assert, prop_assert_eq, proptest};
use serde_json::json;

use super::*;

/// The tree as JSON, which is how the expectations are written.
fn as_json(tree: &Tree) -> Value {
    match tree {
        Tree::Text(text) => json!(text),
        Tree::Scalar(value) => json!({"scalar": value}),
        Tree::List(list) => list.iter().map(as_json).collect(),
        Tree::Map(map) => map.iter().map(|(name, tree)| (name.clone(), as_json(tree))).collect(),
    }
}

fn parsed(query: &str) -> Value {
    as_json(&parse(query).unwrap_or_else(|faults| panic!("{query}: {faults:?}")))
}

fn tree(query: &str) -> Tree {
    parse(query).unwrap()
}

#[test]
fn brackets_nest() {
    let expected = json!({"where": {"name": {"equals": "Bella"}}, "limit": "5"});
    for query in [
        "where[name][equals]=Bella&limit=5",
        "?where[name][equals]=Bella&limit=5",
        "where%5Bname%5D%5Bequals%5D=Bella&limit=5",
        "where%5bname%5d[equals]=Bella&&limit=5&",
    ] {
        assert_eq!(parsed(query), expected, "{query}");
    }
    assert_eq!(
        parsed("where[weight][greater_than]=600&where[weight][less_than]=620"),
        json!({"where": {"weight": {"greater_than": "600", "less_than": "620"}}})
    );
    assert_eq!(parsed("where[herd.name][equals]=A"), json!({"where": {"herd.name": {"equals": "A"}}}));
    assert_eq!(parsed(""), json!({}));
    assert_eq!(parsed("?"), json!({}));
}

#[test]
fn keys_and_values_are_decoded() {
    assert_eq!(parsed("a=x+y%20z&b+c=%D0%92&c=100%25"), json!({"a": "x y z", "b c": "В", "c": "100%"}));
    assert_eq!(parsed("d=02:00%2B02:00&e=02:00+02:00"), json!({"d": "02:00+02:00", "e": "02:00 02:00"}));
    // What cannot be decoded stays as it is, but for the plus.
    assert_eq!(
        parsed("a=%&b=%zz+1&c=%41%4&d=%ff&e=%F0%9F%90%84"),
        json!({
            "a": "%", "b": "%zz 1", "c": "%41%4", "d": "%ff", "e": "🐄"
        })
    );
    assert_eq!(parsed("a=b=c&d&e="), json!({"a": "b=c", "d": "", "e": ""}));
    assert_eq!(parsed("=x&a=1"), json!({"a": "1"}), "a value without a name is dropped");
}

#[test]
fn every_way_of_writing_a_list_is_one() {
    let two = json!({"where": {"name": {"in": ["Bella", "daisy"]}}});
    for query in [
        "where[name][in][0]=Bella&where[name][in][1]=daisy",
        "where[name][in][1]=daisy&where[name][in][0]=Bella",
        "where[name][in][5]=Bella&where[name][in][1000]=daisy",
        "where[name][in][]=Bella&where[name][in][]=daisy",
        "where[name][in]=Bella&where[name][in]=daisy",
        "where[name][in][]=Bella&where[name][in]=daisy",
        "where%5Bname%5D%5Bin%5D%5B%5D=Bella&where%5Bname%5D%5Bin%5D%5B%5D=daisy",
    ] {
        assert_eq!(parsed(query), two, "{query}");
    }
    assert_eq!(parsed("sort[]=state&sort[]=-id"), json!({"sort": ["state", "-id"]}));
    assert_eq!(parsed("a[]=1"), json!({"a": ["1"]}));
    assert_eq!(parsed("a[0][x]=1&a[0][y]=2&a[1][x]=3"), json!({"a": [{"x": "1", "y": "2"}, {"x": "3"}]}));
}

#[test]
fn brackets_without_an_equals_sign_are_an_empty_list() {
    let empty = json!({"where": {"name": {"in": []}}});
    assert_eq!(parsed("where[name][in][]"), empty);
    assert_eq!(parsed("where%5Bname%5D%5Bin%5D%5B%5D"), empty);
    assert_eq!(parsed("where[name][in][]="), json!({"where": {"name": {"in": [""]}}}));
    assert_eq!(parsed("a[]&a[]=x"), json!({"a": ["x"]}));
    assert_eq!(parsed("a[b]"), json!({"a": {"b": ""}}));
}

#[test]
fn elements_need_numbers_to_stay_apart() {
    assert_eq!(
        parsed("where[or][0][state][equals]=alive&where[or][1][state][equals]=dead"),
        json!({"where": {"or": [{"state": {"equals": "alive"}}, {"state": {"equals": "dead"}}]}})
    );
    assert_eq!(
        parsed("where[or][][state][equals]=alive&where[or][][name][equals]=x"),
        json!({"where": {"or": [{"state": {"equals": "alive"}, "name": {"equals": "x"}}]}})
    );
}

#[test]
fn contradicting_shapes_are_joined_as_qs_does() {
    assert_eq!(parsed("a=1&a[b]=2"), json!({"a": ["1", {"b": "2"}]}));
    assert_eq!(parsed("a[b]=2&a=1"), json!({"a": {"b": "2", "1": {"scalar": true}}}));
    assert_eq!(parsed("a[b]=2&a="), json!({"a": {"b": "2"}}));
    assert_eq!(parsed("a[0]=1&a[b]=2"), json!({"a": {"0": "1", "b": "2"}}));
    assert_eq!(parsed("a[b]=2&a[]=1"), json!({"a": {"b": "2", "0": "1"}}));
    assert_eq!(parsed("a[0]=1&a[0][b]=2"), json!({"a": ["1", {"b": "2"}]}));
    assert_eq!(parsed("a[01]=x&a[-1]=y"), json!({"a": {"01": "x", "-1": "y"}}));
    assert_eq!(parsed("[a]=1&[0]=2"), json!({"a": "1", "0": "2"}));
}

#[test]
fn odd_brackets_are_text() {
    assert_eq!(parsed("a[b=1"), json!({"a[b": "1"}));
    assert_eq!(parsed("a]b=1"), json!({"a]b": "1"}));
    assert_eq!(parsed("a[b]c[d]=1"), json!({"a": {"b": {"d": "1"}}}));
    assert_eq!(parsed("a[b=c]=d=e"), json!({"a": {"b=c": "d=e"}}));
    assert_eq!(parsed("a=x[b]=c"), json!({"a": "x[b]=c"}));
    assert_eq!(parsed("a[__proto__]=1&toString=2"), json!({"a": {"__proto__": "1"}, "toString": "2"}));
}

/// Case 45.
#[test]
fn four_nested_conditions_fit_five_do_not() {
    let nested = |levels| format!("where{}[name][equals]=x", "[and][0]".repeat(levels));
    assert!(parse(&nested(4)).is_ok());
    assert_eq!(
        parse(&nested(5)),
        Err(vec![QueryFault::TooDeep { path: "where.and.0.and.0.and.0.and.0.and.0.name".into() }])
    );
    let encoded = nested(5).replace('[', "%5B").replace(']', "%5D");
    assert!(matches!(parse(&encoded).unwrap_err().as_slice(), [QueryFault::TooDeep { .. }]));
    let endless = format!("a{}=1", "[b]".repeat(1_000_000));
    assert!(matches!(parse(&endless).unwrap_err().as_slice(), [QueryFault::TooDeep { path }] if path.len() < 300));
}

#[test]
fn limits_are_faults_with_their_paths() {
    assert!(parse("where[or][1000][a][equals]=1").is_ok());
    assert_eq!(
        parse("where[or][1001][a][equals]=1&x[99999999999999999999]=1&y=1"),
        Err(vec![
            QueryFault::IndexTooLarge { path: "where.or.1001.a.equals".into() },
            QueryFault::IndexTooLarge { path: "x.99999999999999999999".into() },
        ])
    );
    assert!(parse(&"a=1&".repeat(PARAMETERS_MAX)).is_ok());
    assert_eq!(
        parse(&"a=1&".repeat(PARAMETERS_MAX + 1)),
        Err(vec![QueryFault::TooManyParameters { limit: PARAMETERS_MAX }])
    );
    let many: String = (0..1000).map(|n| format!("k{n}[2000]=1&")).collect();
    assert_eq!(parse(&many).unwrap_err().len(), FAULTS_LISTED);
}

/// Case 47.
#[test]
fn a_long_list_in_one_value_stays_whole() {
    let ids = (1..3000).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(parsed(&format!("where[id][in]={ids}")), json!({"where": {"id": {"in": ids}}}));
    let separate: String = (1..3000).map(|n| format!("where[id][in][]={n}&")).collect();
    let tree = tree(&separate);
    let list = tree.get("where").and_then(|w| w.get("id")).and_then(|id| id.get("in"));
    assert!(matches!(list, Some(Tree::List(list)) if list.len() == 2999));
}

fn filter_of(query: &str) -> Result<Option<Value>, QueryFault> {
    let tree = tree(query);
    filter(&tree).map(|filter| filter.map(|tree| as_json(&tree)))
}

/// Case 46.
#[test]
fn where_may_be_one_json_text() {
    let alive = json!({"state": {"equals": "alive"}});
    assert_eq!(filter_of(r#"where={"state":{"equals":"alive"}}"#), Ok(Some(alive.clone())));
    assert_eq!(filter_of("where=%7B%22state%22%3A%7B%22equals%22%3A%22alive%22%7D%7D"), Ok(Some(alive.clone())));
    assert_eq!(filter_of("where[state][equals]=alive"), Ok(Some(alive)));
    assert_eq!(
        filter_of(r#"where={"weight":{"in":[1.5,null,true,"x"]}}"#),
        Ok(Some(json!({"weight": {"in": [{"scalar": 1.5}, {"scalar": null}, {"scalar": true}, "x"]}})))
    );
    assert_eq!(filter_of(r#"where={"a":{"equals":"x]=y"}}"#), Ok(Some(json!({"a": {"equals": "x]=y"}}))));
}

#[test]
fn an_empty_where_is_none_and_a_broken_one_a_fault() {
    for query in ["", "where=", "where", "where={}", "where[]=", "where[]", "where=+", "limit=1"] {
        assert_eq!(filter_of(query), Ok(None), "{query}");
    }
    for query in ["where=foo", "where={", "where=[1]", "where=1", "where=null", r#"where={"a":1,"a":2}"#] {
        let Err(QueryFault::NotAFilter { path, .. }) = filter_of(query) else {
            panic!("{query}");
        };
        assert_eq!(path, "where");
    }
    let deep = format!("where={{\"a\":{}{}}}", "[".repeat(9999), "]".repeat(9999));
    assert!(matches!(filter_of(&deep), Err(QueryFault::NotAFilter { .. })));
}

/// Case 7 among others.
#[test]
fn numbers_outside_their_range_fall_back() {
    for (query, expected) in [
        ("", 10),
        ("limit=0", 0),
        ("limit=25", 25),
        ("limit=abc", 10),
        ("limit=", 10),
        ("limit=-1", 10),
        ("limit=2.5", 10),
        ("limit[]=5", 10),
        ("limit=99999999999999999999999", NUMBER_CAP),
    ] {
        assert_eq!(limit(&tree(query), 10), expected, "{query}");
    }
    for (query, expected) in [("", 1), ("page=0", 1), ("page=-1", 1), ("page=x", 1), ("page=2.5", 1), ("page=4", 4)] {
        assert_eq!(page(&tree(query)), expected, "{query}");
    }
    for (query, expected) in [
        ("", 1),
        ("depth=0", 0),
        ("depth=-3", 0),
        ("depth=2", 2),
        ("depth=2.9", 2),
        ("depth=10", 10),
        ("depth=11", 10),
        ("depth=1e9", 10),
        ("depth=x", 1),
        ("depth=", 1),
        ("depth=inf", 1),
        ("depth=NaN", 1),
    ] {
        assert_eq!(depth(&tree(query), 1), expected, "{query}");
    }
    let json = Tree::from(json!({"limit": 3, "page": 2, "depth": 4, "pagination": false}));
    assert_eq!((limit(&json, 10), page(&json), depth(&json, 1), flag(&json, "pagination")), (3, 2, 4, Some(false)));
}

#[test]
fn flags_are_true_or_false_only() {
    let query = tree("pagination=false&draft=true&trash=TRUE&x=1");
    let flags = ["pagination", "draft", "trash", "x", "absent"].map(|name| flag(&query, name));
    assert_eq!(flags, [Some(false), Some(true), None, None, None]);
}

#[test]
fn sort_keeps_order_and_spaces() {
    for (query, expected) in [
        ("sort=a,-b", vec!["a", "-b"]),
        ("sort=a,+-b", vec!["a", " -b"]),
        ("sort[]=a&sort[]=-b", vec!["a", "-b"]),
        ("sort[1]=-b&sort[0]=a", vec!["a", "-b"]),
        ("sort[]=a,b", vec!["a,b"]),
        ("sort=", vec![]),
        ("sort[x]=a", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(sort(&tree(query)), expected, "{query}");
    }
}

fn whole(names: &[&str]) -> SelectTree {
    names.iter().map(|name| ((*name).to_owned(), Choice::Whole)).collect()
}

#[test]
fn select_includes_or_excludes() {
    let selected = |query: &str| select(&tree(query));
    assert_eq!(selected(""), None);
    assert_eq!(selected("select="), None);
    assert_eq!(selected("select[name]=true&select[tag]=true"), Some(Select::Include(whole(&["name", "tag"]))));
    assert_eq!(selected("select[name]=false"), Some(Select::Exclude(whole(&["name"]))));
    assert_eq!(selected("select[a]=true&select[name]=false"), Some(Select::Exclude(whole(&["name"]))));
    for nothing in ["select=name", "select[]=name", "select[name]=1", "select[name]=TRUE"] {
        assert_eq!(selected(nothing), Some(Select::Include(whole(&[]))), "{nothing}");
    }
    let mut parts = whole(&["name"]);
    parts.insert("position".into(), Choice::Parts(whole(&["barn"])));
    assert_eq!(selected("select[name]=true&select[position][barn]=true"), Some(Select::Include(parts)));
    let excluded = SelectTree::from([("position".to_owned(), Choice::Parts(whole(&["barn"])))]);
    assert_eq!(selected("select[name]=true&select[position][barn]=false"), Some(Select::Exclude(excluded)));
}

#[test]
fn populate_selects_per_collection() {
    let selection = populate(&tree("populate[herds][name]=true&populate[users][email]=false&populate[x]="));
    assert_eq!(
        selection,
        IndexMap::from([
            ("herds".to_owned(), Select::Include(whole(&["name"]))),
            ("users".to_owned(), Select::Exclude(whole(&["email"]))),
        ])
    );
    assert!(populate(&tree("populate=herds")).is_empty());
}

proptest! {
    #[test]
    fn any_text_is_answered(query in "[a-c\\[\\]=&%+0-9]{0,60}") {
        if let Ok(tree) = parse(&query) {
            prop_assert!(matches!(tree, Tree::Map(_)));
            let _ = (limit(&tree, 10), sort(&tree).len(), select(&tree), filter(&tree).is_ok());
        }
    }

    #[test]
    fn encoded_text_comes_back(key in "[^\\[\\]]{1,12}", values in prop::collection::vec(".{0,12}", 2..5)) {
        use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
        let code = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let list: String = values.iter().map(|value| format!("{}[]={}&", code(&key), code(value))).collect();
        let indexed: String =
            values.iter().enumerate().map(|(at, value)| format!("{}[{at}]={}&", code(&key), code(value))).collect();
        let expected = json!({key: values});
        prop_assert_eq!(parsed(&list), expected.clone());
        prop_assert_eq!(parsed(&indexed), expected);
    }
}
