//! Emails: queued with the change that they report, sent after it, by one process only.

use crate::rest::stage::Stage;
use futures_util::future::BoxFuture;
use model::letter::{EmailBranding, Letter, Links, Mail, Message, SendError, Template};
use model::messages::Language;
use model::registry::HookContext;
use ops::SendLetters;
use std::sync::Mutex;

/// A mail server that stores all messages, and sometimes refuses them.
#[derive(Default)]
pub(crate) struct Office {
    got: Mutex<Vec<Message>>,
    /// Its first answers, in reverse order.
    answers: Mutex<Vec<SendError>>,
}

impl Mail for Office {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            match self.answers.lock().unwrap().pop() {
                Some(refusal) => Err(refusal),
                None => {
                    self.got.lock().unwrap().push(message.clone());
                    Ok(())
                }
            }
        })
    }
}

impl Office {
    pub(crate) fn refusing(answers: Vec<SendError>) -> Self {
        Self { answers: Mutex::new(answers), ..Self::default() }
    }

    pub(crate) fn got(&self) -> Vec<Message> {
        self.got.lock().unwrap().clone()
    }
}

pub(crate) fn branding() -> EmailBranding {
    EmailBranding {
        service: "herdbook".to_owned(),
        url: "https://book.example".to_owned(),
        links: Links {
            reset: "{url}/reset-password?token={token}".to_owned(),
            verify: "{url}/verify?token={token}".to_owned(),
            invitation: "{url}/invitation?token={token}".to_owned(),
            unlock: "{url}/unlock?token={token}".to_owned(),
        },
        language: Language::English,
        color: None,
        foot: Vec::new(),
    }
}

/// Everything that is due now.
pub(crate) async fn delivered(stage: &Stage) -> Vec<Message> {
    let office = Office::default();
    send_to(stage, &office).await;
    office.got()
}

/// The same by this mail server.
async fn send_to(stage: &Stage, office: &Office) {
    let send = SendLetters::new(branding(), office);
    while stage.book.run_job(&send).await.unwrap() {}
}

/// The token in an email.
pub(crate) fn token(message: &Message) -> String {
    let (_, rest) = message.text.split_once("token=").expect(&message.text);
    rest.split_whitespace().next().unwrap().to_owned()
}

fn letter(stage: &Stage, to: &str) -> Letter {
    let until = stage.book.clock.now() + 86_400_000 * 3;
    Letter::new(to, Template::ResetPassword, until).with("token", "T0KEN")
}

async fn queue(stage: &Stage, to: &str) {
    let letter = letter(stage, to);
    let queued = stage.book.transact(move |work| Box::pin(async move { work.mail(&letter).await }));
    queued.await.unwrap();
}

async fn waiting(stage: &Stage) -> i64 {
    stage.number("SELECT count(*) FROM mail_outbox").await
}

#[test_with(Stage::each)]
async fn what_waits_cannot_be_read_and_is_gone_when_it_is_sent(stage: &Stage) {
    queue(stage, "ann@farm.example").await;
    let sql = "SELECT count(*) FROM mail_outbox WHERE body LIKE '%T0KEN%' OR body LIKE '%ann%'";
    assert_eq!((stage.number(sql).await, waiting(stage).await), (0, 1));
    let letters = delivered(stage).await;
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].to, "ann@farm.example");
    assert!(letters[0].text.contains("https://book.example/reset-password?token=T0KEN"));
    assert_eq!(waiting(stage).await, 0);
    assert_eq!(delivered(stage).await, []);
}

#[test_with(Stage::each)]
async fn a_transaction_that_fails_sends_nothing(stage: &Stage) {
    let letter = letter(stage, "ann@farm.example");
    let failed = stage.book.transact(move |work| {
        Box::pin(async move {
            work.mail(&letter).await?;
            Err::<(), _>(model::error::Error::forbidden())
        })
    });
    assert!(failed.await.is_err());
    assert_eq!(delivered(stage).await, []);
    assert_eq!(waiting(stage).await, 0);
}

#[test_with(Stage::each)]
async fn a_closed_office_is_tried_again_later_and_a_refusal_is_final(stage: &Stage) {
    queue(stage, "ann@farm.example").await;
    let later = || SendError::Later("closed".to_owned());
    let office = Office::refusing(vec![later(), later()]);
    for pause in [29, 1, 59, 1] {
        send_to(stage, &office).await;
        assert_eq!(office.got(), []);
        stage.pass(pause);
    }
    send_to(stage, &office).await;
    assert_eq!((office.got().len(), waiting(stage).await), (1, 0));

    queue(stage, "ann@farm.example").await;
    let office = Office::refusing(vec![SendError::Never("no such box".to_owned())]);
    send_to(stage, &office).await;
    assert_eq!((office.got().len(), waiting(stage).await), (0, 0));
}

#[test_with(Stage::each)]
async fn a_letter_is_not_tried_for_ever(stage: &Stage) {
    queue(stage, "ann@farm.example").await;
    let office = Office::refusing(vec![SendError::Later("closed".to_owned()); 100]);
    for _ in 0..100 {
        send_to(stage, &office).await;
        stage.pass(86_400);
    }
    assert_eq!((office.got().len(), waiting(stage).await), (0, 0));
}

/// A mail sender that holds what it gets until it is released.
struct Slow {
    came: tokio::sync::Notify,
    go: tokio::sync::Notify,
}

impl Mail for Slow {
    fn send<'a>(&'a self, _message: &'a Message) -> BoxFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            self.came.notify_one();
            self.go.notified().await;
            Ok(())
        })
    }
}

#[test_with(Stage::each)]
async fn while_one_process_sends_a_letter_no_other_does(stage: &Stage) {
    queue(stage, "ann@farm.example").await;
    let slow = Slow { came: tokio::sync::Notify::new(), go: tokio::sync::Notify::new() };
    let send = SendLetters::new(branding(), &slow);
    let first = stage.book.run_job(&send);
    let second = async {
        slow.came.notified().await;
        let meanwhile = delivered(stage).await;
        slow.go.notify_one();
        meanwhile
    };
    let (first, meanwhile) = tokio::join!(first, second);
    assert!(first.unwrap());
    assert_eq!((meanwhile.len(), waiting(stage).await), (0, 0));

    // A process that dies while it sends lets go after its lease.
    queue(stage, "ann@farm.example").await;
    tokio::select! {
        _ = stage.book.run_job(&send) => panic!("the office is slow"),
        () = slow.came.notified() => {}
    }
    assert_eq!(delivered(stage).await.len(), 0);
    stage.pass(180);
    assert_eq!(delivered(stage).await.len(), 1);
}
