use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> EnvFile {
    EnvFile::parse("run.env".as_ref(), text.as_bytes()).expect("parses")
}

fn flat(file: &EnvFile) -> Vec<(&str, String)> {
    let text = |pieces: &[Piece]| {
        pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Variable(name) => format!("<{name}>"),
            })
            .collect::<String>()
    };
    file.assignments.iter().map(|a| (a.name.as_str(), text(&a.value))).collect()
}

fn value(line: &str) -> String {
    flat(&parse(line)).pop().map(|(_, value)| value).unwrap_or_default()
}

const QUOTING: &str = "DR_CAR_NAME=\"Blue Bird\"
DR_DISPLAY_NAME='no $EXPANSION here'
DR_RACER_NAME=plain value   # trailing remark
DR_CAR_COLOR=Red#1
export DR_RUN_ID=3
DR_RACE_TYPE = TIME_TRIAL
DR_EVAL_SAVE_MP4=
   # indented remark
";

#[test]
fn quoting_blanks_remarks_and_export() {
    let file = parse(QUOTING);
    let expected = [
        ("DR_CAR_NAME", "Blue Bird"),
        ("DR_DISPLAY_NAME", "no $EXPANSION here"),
        ("DR_RACER_NAME", "plain value"),
        ("DR_CAR_COLOR", "Red#1"),
        ("DR_RUN_ID", "3"),
        ("DR_RACE_TYPE", "TIME_TRIAL"),
        ("DR_EVAL_SAVE_MP4", ""),
    ];
    let found = flat(&file);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.1.as_str()), expected);
    }
    let texts: Vec<&str> = file.warnings.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(texts, ["run.env:6: blanks around the = of DR_RACE_TYPE are ignored"]);
    assert_eq!(file.assignments[4].line, 5);
}

#[test]
fn line_ends_and_byte_order_mark_do_not_matter() {
    let plain = parse(QUOTING);
    let variants = [
        QUOTING.replace('\n', "\r\n"),
        QUOTING.replace('\n', "\r"),
        format!("\u{feff}{QUOTING}"),
        QUOTING.trim_end().to_owned(),
        QUOTING.replace('\n', " \t\n"),
    ];
    for text in variants {
        assert_eq!(parse(&text), plain);
    }
}

#[test]
fn other_encodings_are_refused_by_name() {
    let wide = |big: bool| -> Vec<u8> {
        "\u{feff}DR_RUN_ID=3\n"
            .encode_utf16()
            .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
            .collect()
    };
    for bytes in [wide(false), wide(true)] {
        let error = EnvFile::parse("run.env".as_ref(), &bytes).expect_err("refused");
        assert_eq!(error.to_string(), "run.env is encoded in UTF-16; save it as UTF-8");
    }
    let error = EnvFile::parse("run.env".as_ref(), &wide(false)[2..]).expect_err("refused");
    assert_eq!(error.to_string(), "run.env is encoded in UTF-16 or a binary format; save it as UTF-8");
    let error = EnvFile::parse("run.env".as_ref(), b"# caf\xe9\n").expect_err("refused");
    assert_eq!(
        error.to_string(),
        "run.env is encoded in something other than UTF-8 (perhaps Latin-1); save it as UTF-8"
    );
}

#[test]
fn only_the_first_equals_sign_separates() {
    assert_eq!(value("A=b=c=d"), "b=c=d");
    assert_eq!(value("A=0.2,-1;0.6,1"), "0.2,-1;0.6,1");
}

#[test]
fn variables_are_pieces() {
    assert_eq!(value("A=$B/model_metadata.json"), "<B>/model_metadata.json");
    assert_eq!(value("A=\"${B}x\"'$B'"), "<B>x$B");
    assert_eq!(value("A=$B\"c d\"$E_1-f"), "<B>c d<E_1>-f");
    assert_eq!(value(r"A=\$B costs 5$ or $1"), "$B costs 5$ or $1");
    assert_eq!(value(r#"A="\"\\\`\$B""#), r#""\`$B"#);
}

#[test]
fn quotes_inside_words_are_letters() {
    assert_eq!(value("A=Bob's car  # it's fast"), "Bob's car");
    assert_eq!(value("A=rock 'n' roll"), "rock n roll");
    assert_eq!(value("A=5\" wheel"), "5\" wheel");
    assert_eq!(value("A= #none"), "");
    assert_eq!(value("A=#1"), "#1");
}

#[test]
fn commands_stay_text() {
    let file = parse("A=$(rm -rf x) `id`\nB=${C:-d}\nsource x\nif [ a = b ]; then\n");
    assert_eq!(flat(&file), [("A", "$(rm -rf x) `id`".to_owned()), ("B", "${C:-d}".to_owned())]);
    let texts: Vec<&str> = file.warnings.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "run.env:1: A: commands are text here, they are not executed",
            "run.env:2: B: only $NAME and ${NAME} are replaced, other uses of ${…} are text",
            "run.env:3: this line is not NAME=value; it is ignored",
            "run.env:4: this line is not NAME=value; it is ignored",
        ]
    );
}

#[test]
fn an_open_quote_names_its_line() {
    let error = EnvFile::parse("run.env".as_ref(), b"A=1\nB=\"x\n").expect_err("refused");
    assert_eq!(error.to_string(), "run.env:2: the quote \" is not closed on this line");
}

#[test]
fn a_key_set_twice_is_reported() {
    let file = parse("A=1\nA=2\nB=1\nB=1\n");
    let texts: Vec<&str> = file.warnings.iter().map(|w| w.text.as_str()).collect();
    assert_eq!(texts, ["run.env:2: A was already set on line 1; this line counts"]);
}

proptest! {
    #[test]
    fn any_bytes_are_parsed_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = EnvFile::parse("x".as_ref(), &bytes);
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in "([A-Z_]{0,3}[ ]?=?['\"$\\\\#{}(`a-zé \t]{0,12}[\r\n]{0,2}){0,8}") {
        if let Ok(file) = EnvFile::parse("x".as_ref(), text.as_bytes()) {
            let lines = text.split(['\n', '\r']).filter(|line| line.contains('=')).count();
            prop_assert!(file.assignments.len() <= lines);
        }
    }
}
