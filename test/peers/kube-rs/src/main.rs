//! Runs ordinary kube-rs code against the API server of KUBECONFIG: what a controller written in Rust does, from typed
//! writes to a reconciler with a finalizer. Prints "ok <what>" for each check that passes; the first failure ends the
//! program with status 1 and the reason.

mod controller;
mod objects;
mod streams;

use std::{error::Error, fmt::Debug, future::Future, process::ExitCode, time::Duration};

use k8s_openapi::{
    NamespaceResourceScope,
    api::core::v1::{ConfigMap, Namespace},
};
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{DeleteParams, ObjectMeta, PostParams},
};

/// Time limit for any single wait.
const PATIENCE: Duration = Duration::from_secs(10);

type Failure = Box<dyn Error + Send + Sync>;
type Outcome = Result<(), Failure>;

/// Shared by all steps: the client, and this run's own namespace.
struct Peer {
    client: Client,
    namespace: String,
}

impl Peer {
    fn api<K>(&self) -> Api<K>
    where
        K: Resource<Scope = NamespaceResourceScope>,
        K::DynamicType: Default,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("kube-rs: {why}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Outcome {
    let client = Client::try_default().await?;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let namespace = namespaces
        .create(
            &PostParams::default(),
            &Namespace {
                metadata: ObjectMeta { generate_name: Some("kube-rs-".into()), ..Default::default() },
                ..Default::default()
            },
        )
        .await?
        .name_any();
    let peer = Peer { client, namespace };
    objects::run(&peer).await?;
    streams::run(&peer).await?;
    controller::run(&peer).await?;
    step("a namespace's end is that of what is in it", async {
        namespaces.delete(&peer.namespace, &DeleteParams::default()).await?;
        until("the namespace's end", async || Ok(namespaces.get_opt(&peer.namespace).await?.is_none())).await?;
        let left = peer.api::<ConfigMap>().list(&Default::default()).await?.items.len();
        expect(left == 0, || format!("nothing left, not {left}"))
    })
    .await
}

async fn step(what: &str, work: impl Future<Output = Outcome>) -> Outcome {
    work.await.map_err(|why| format!("{what}: {why}"))?;
    println!("ok {what}");
    Ok(())
}

/// Fails unless `work` finishes within the time limit.
async fn within<T>(what: &str, work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::time::timeout(PATIENCE, work).await.map_err(|_| format!("{what}: not within {PATIENCE:?}").into())
}

/// Polls until a condition holds; an error ends it.
async fn until(what: &str, is: impl AsyncFn() -> Result<bool, Failure>) -> Outcome {
    within(what, async {
        while !is().await? {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    })
    .await?
}

/// Returns an error that describes the expectation unless it holds.
fn expect(is: bool, wanted: impl FnOnce() -> String) -> Outcome {
    if is { Ok(()) } else { Err(format!("expected {}", wanted()).into()) }
}

/// Expects a request to be refused with this status.
fn refused<T: Debug>(result: kube::Result<T>, code: u16, reason: &str) -> Outcome {
    match result {
        Err(kube::Error::Api(status)) if status.code == code && status.reason == reason => Ok(()),
        other => Err(format!("expected {code} {reason}, not {other:?}").into()),
    }
}

fn config_map(name: &str, data: &[(&str, &str)]) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.into()), ..Default::default() },
        data: Some(data.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()),
        ..Default::default()
    }
}
