use feed_client::{Follower, Options, SignIn};
use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut options = Options::new("http://127.0.0.1:8080", "everything", "mirror.db");
    options.sign_in = SignIn::Password { email: "farm1@demo.herdbook".into(), password: "demo-herdbook".into() };
    let mut follower = Follower::open(options).await?;
    // To the end of the feed. Stopped at any moment, it goes on where it was.
    loop {
        let page = follower.next().await?;
        for violation in &page.violations {
            eprintln!("the server broke a law: {violation}");
        }
        if page.current {
            break;
        }
        println!("{} resources, {} stored", page.resources, page.stored);
    }
    let mirror = follower.mirror();
    let animals = mirror.documents("icarAnimalCoreResource", None, 3);
    for animal in animals.await? {
        println!("{} at {}", animal.source_id, animal.location);
    }
    println!("{} documents", mirror.counts().await?.documents);
    Ok(())
}
