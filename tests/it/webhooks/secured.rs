//! Webhooks over TLS, sent by the program as it runs: receivers with a trusted certificate get
//! their messages, others get nothing, and the log states the reason.

use super::receiver::Receiver;
use crate::feed::process::{Caller, Database};
use crate::feed::stage::number;
use axum::serve::Listener;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::server::TlsStream;

/// The authority that signs certificates.
type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority() -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// Connections under TLS; failed ones are dropped.
struct Secured {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Secured {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (stream, from) = self.listener.accept().await.unwrap();
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A receiver on the loopback that shows a certificate of this name.
async fn receiver(authority: &Authority, name: &str) -> Receiver {
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new([name.to_owned()]).unwrap();
    let certificate = params.signed_by(&key, authority).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key.serialize_der().try_into().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(config.unwrap()));
    let url = format!("https://127.0.0.1:{port}/in");
    Receiver::on(Secured { listener, acceptor }, url, port)
}

/// Waits for the first entry of a webhook's log.
async fn logged(caller: &Caller, url: &str, hook: &Value) -> Value {
    let path = format!("{url}/api/webhook-deliveries?where[webhook][equals]={}&sort=id&depth=0", hook["id"]);
    loop {
        let (status, list) = caller.get(&path).await.unwrap();
        assert_eq!(status, 200, "{list}");
        if let Some(first) = list["docs"].as_array().and_then(|docs| docs.first()) {
            return first.clone();
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_go_only_to_receivers_whose_certificate_is_vouched_for() {
    let mut places = vec![Database::sqlite().await];
    places.extend(Database::postgres().await);
    let (known, stranger) = (authority(), authority());
    for place in places {
        let file = place.dir().join("authorities.pem");
        std::fs::write(&file, known.pem()).unwrap();
        let allowed = ("HERDBOOK_WEBHOOKS_ALLOW", "127.0.0.0/8");
        let trusted = ("SSL_CERT_FILE", file.to_str().unwrap());
        let server = place.serve_with(&[allowed, trusted]);
        let caller = Caller::sign_in(&server).await;
        let receivers = [
            receiver(&known, "127.0.0.1").await,
            receiver(&stranger, "127.0.0.1").await,
            receiver(&known, "elsewhere.example").await,
        ];
        let mut hooks = Vec::new();
        for one in &receivers {
            let body = json!({"url": one.url, "dataset": "weights"});
            let (status, made) = (caller.post(&format!("{}/api/webhooks", server.url), &body)).await.unwrap();
            assert_eq!(status, 201, "{made}");
            hooks.push(made["doc"].clone());
        }
        let (farm, cow) = (place.herd.farms()[0], number(place.herd.cow(0)));
        let weight = json!({
            "resourceType": "icarWeightEventResource",
            "meta": {"source": "scale.example", "sourceId": "w1", "modified": "2026-02-01T00:00:00Z"},
            "animal": {"scheme": "org.herdbook.animal", "id": cow},
            "eventDateTime": "2026-02-01T00:00:00Z",
            "weight": {"measurement": 500, "units": "KGM"},
        });
        let document = caller.batch(&server.url, farm, "weights", &[weight]).await;
        assert_eq!(document.unwrap().0, 200);

        let seen = receivers[0].next().await;
        assert_eq!(seen.json()["type"], "ade.changed");
        assert_eq!(seen.signed_by(hooks[0]["secret"].as_str().unwrap()), [true]);
        let logged_line = logged(&caller, &server.url, &hooks[0]).await;
        holds!(logged_line, {"status": 204, "error": null});
        for (one, hook) in receivers.iter().zip(&hooks).skip(1) {
            let logged_line = logged(&caller, &server.url, hook).await;
            let error = logged_line["error"].as_str().unwrap();
            assert!(error.contains("certificate of the receiver"), "{logged_line}");
            assert_eq!(logged_line["status"], Value::Null, "{logged_line}");
            assert!(one.taken().is_empty());
        }
    }
}
