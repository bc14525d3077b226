//! A controller: a custom kind derived from a struct, reconciled into an owned ConfigMap, with a finalizer.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures::StreamExt;
use k8s_openapi::{
    api::core::v1::ConfigMap,
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    apimachinery::pkg::apis::meta::v1::{Condition, Time},
    jiff::Timestamp,
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt, Resource, ResourceExt,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    runtime::{
        controller::{Action, Controller},
        finalizer::{self, finalizer},
        wait::{await_condition, conditions},
        watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{Failure, Outcome, Peer, config_map, expect, refused, step, until, within};

const FINALIZER: &str = "rs.peers.kinformer.dev/cleanup";
const MANAGER: &str = "kube-rs-peer";

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(
    group = "rs.peers.kinformer.dev",
    version = "v1",
    kind = "Widget",
    namespaced,
    shortname = "wdg",
    status = "WidgetStatus",
    printcolumn = r#"{"name":"Text","type":"string","jsonPath":".spec.text"}"#
)]
pub struct WidgetSpec {
    text: String,
    #[serde(default = "one")]
    copies: u8,
    mood: Option<Mood>,
}

#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
enum Mood {
    Calm,
    Cheerful,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WidgetStatus {
    observed_generation: Option<i64>,
    #[serde(default)]
    conditions: Vec<Condition>,
}

fn one() -> u8 {
    1
}

/// The reconciler's context, with a counter.
struct Context {
    client: Client,
    cleanups: AtomicUsize,
}

pub async fn run(peer: &Peer) -> Outcome {
    let context = Arc::new(Context { client: peer.client.clone(), cleanups: AtomicUsize::new(0) });
    step("a derived CustomResourceDefinition, applied and Established", define(peer)).await?;
    step("custom resources: defaults, validation", validate(peer)).await?;

    let (stop, stopped) = oneshot::channel::<()>();
    let running = start(peer, context.clone(), stopped);
    step("a controller makes the owned ConfigMap", makes(peer)).await?;
    step("a controller follows a change, and patches the status", follows(peer)).await?;
    step("a controller makes anew what is deleted", repairs(peer)).await?;
    step("finalizer helper, and the end of what is owned", ends(peer, &context)).await?;
    step("a controller stops gracefully, without an error", async {
        stop.send(()).map_err(|()| "it had ended before")?;
        within("its end", running).await??
    })
    .await?;
    step("a CustomResourceDefinition's end", undefine(peer)).await
}

async fn define(peer: &Peer) -> Outcome {
    let definitions: Api<CustomResourceDefinition> = Api::all(peer.client.clone());
    let name = Widget::crd_name();
    let params = PatchParams::apply(MANAGER);
    let applied = definitions.patch(name, &params, &Patch::Apply(Widget::crd())).await?;
    within("Established", await_condition(definitions.clone(), name, conditions::is_crd_established())).await??;
    let again = definitions.patch(name, &params, &Patch::Apply(Widget::crd())).await?;
    expect(applied.uid() == again.uid() && again.metadata.generation == Some(1), || {
        format!("no change when applied again, not {:?}", again.metadata)
    })?;
    until("served", async || match peer.api::<Widget>().list(&ListParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(false),
        other => Ok(other?.items.is_empty()),
    })
    .await
}

async fn validate(peer: &Peer) -> Outcome {
    let widgets: Api<kube::api::DynamicObject> =
        Api::namespaced_with(peer.client.clone(), &peer.namespace, &Widget::api_resource());
    let widget = |spec| kube::api::DynamicObject::new("checked", &Widget::api_resource()).data(json!({"spec": spec}));
    for bad in
        [json!({}), json!({"text": 1}), json!({"text": "x", "copies": 256}), json!({"text": "x", "mood": "Grim"})]
    {
        refused(widgets.create(&PostParams::default(), &widget(bad)).await, 422, "Invalid")?;
    }
    let good = widgets.create(&PostParams::default(), &widget(json!({"text": "x", "mood": "Calm"}))).await?;
    expect(good.data["spec"]["copies"] == 1, || format!("a default, not {}", good.data))?;
    widgets.delete("checked", &DeleteParams::default()).await?;
    Ok(())
}

/// Runs the controller as a task; it ends at the first error or when stopped.
fn start(peer: &Peer, context: Arc<Context>, stopped: oneshot::Receiver<()>) -> JoinHandle<Outcome> {
    let mut results = Controller::new(peer.api::<Widget>(), watcher::Config::default())
        .owns(peer.api::<ConfigMap>(), watcher::Config::default())
        .graceful_shutdown_on(async {
            let _ = stopped.await;
        })
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), context)
        .boxed();
    tokio::spawn(async move {
        while let Some(result) = results.next().await {
            match result {
                // Deleted between the event and the reconciliation, which is normal.
                Ok(_) | Err(kube::runtime::controller::Error::ObjectNotFound(_)) => (),
                Err(why) => {
                    // Printed now: a test that waits for its work would only report a timeout.
                    eprintln!("the controller: {why:?}");
                    return Err(format!("{why:?}").into());
                }
            }
        }
        Ok(())
    })
}

async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, finalizer::Error<kube::Error>> {
    let api: Api<Widget> = Api::namespaced(context.client.clone(), &widget.namespace().unwrap_or_default());
    finalizer(&api, FINALIZER, widget, |event| async {
        match event {
            finalizer::Event::Apply(widget) => fulfil(&widget, &api, &context).await,
            finalizer::Event::Cleanup(_) => {
                context.cleanups.fetch_add(1, Ordering::Relaxed);
                Ok(Action::await_change())
            }
        }
    })
    .await
}

async fn fulfil(widget: &Widget, api: &Api<Widget>, context: &Context) -> kube::Result<Action> {
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &widget.namespace().unwrap_or_default());
    let name = widget.name_any();
    let mut map = config_map(&name, &[("text", &widget.spec.text.repeat(widget.spec.copies.into()))]);
    map.metadata.owner_references = widget.controller_owner_ref(&()).map(|owner| vec![owner]);
    let params = PatchParams::apply(MANAGER).force();
    maps.patch(&name, &params, &Patch::Apply(map)).await?;
    let generation = widget.metadata.generation;
    if widget.status.as_ref().and_then(|status| status.observed_generation) != generation {
        let status = WidgetStatus {
            observed_generation: generation,
            conditions: vec![Condition {
                type_: "Ready".into(),
                status: "True".into(),
                reason: "Made".into(),
                message: String::new(),
                observed_generation: generation,
                last_transition_time: Time(Timestamp::now()),
            }],
        };
        api.patch_status(&name, &PatchParams::default(), &Patch::Merge(json!({"status": status}))).await?;
    }
    Ok(Action::await_change())
}

/// Waits until the ConfigMap has this text and the widget's status says that it is up to date.
async fn fulfilled(peer: &Peer, text: &str) -> Result<(Widget, ConfigMap), Failure> {
    let widgets = peer.api::<Widget>();
    let maps = peer.api::<ConfigMap>();
    within(&format!("the ConfigMap with {text:?}, and the status"), async {
        loop {
            let map = maps.get_opt("thing").await?;
            let widget = widgets.get_status("thing").await?;
            let observed = widget.status.as_ref().and_then(|status| status.observed_generation);
            if let Some(map) = map
                && map.data.as_ref().is_some_and(|data| data.get("text").is_some_and(|is| is == text))
                && observed == widget.metadata.generation
            {
                return Ok((widget, map));
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await?
}

async fn makes(peer: &Peer) -> Outcome {
    let widget = Widget::new("thing", WidgetSpec { text: "ab".into(), copies: 2, mood: Some(Mood::Cheerful) });
    peer.api::<Widget>().create(&PostParams::default(), &widget).await?;
    let (widget, map) = fulfilled(peer, "abab").await?;
    expect(widget.finalizers() == [FINALIZER], || format!("the finalizer, not {:?}", widget.finalizers()))?;
    let owners = map.owner_references();
    expect(
        owners.len() == 1 && Some(&owners[0].uid) == widget.uid().as_ref() && owners[0].controller == Some(true),
        || format!("the widget as its owner, not {owners:?}"),
    )
}

async fn follows(peer: &Peer) -> Outcome {
    let change = Patch::Merge(json!({"spec": {"copies": 3}}));
    peer.api::<Widget>().patch("thing", &PatchParams::default(), &change).await?;
    let (widget, _) = fulfilled(peer, "ababab").await?;
    let conditions = widget.status.as_ref().map(|status| status.conditions.as_slice()).unwrap_or_default();
    expect(
        widget.metadata.generation == Some(2)
            && conditions.len() == 1
            && conditions[0].type_ == "Ready"
            && conditions[0].observed_generation == Some(2),
        || format!("a condition of generation 2, not {widget:?}"),
    )
}

async fn repairs(peer: &Peer) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    let before = maps.get("thing").await?.uid();
    maps.delete("thing", &DeleteParams::default()).await?;
    let (_, map) = fulfilled(peer, "ababab").await?;
    expect(map.uid() != before, || "another ConfigMap".into())
}

async fn ends(peer: &Peer, context: &Context) -> Outcome {
    let widgets = peer.api::<Widget>();
    let answer = widgets.delete("thing", &DeleteParams::background()).await?;
    expect(answer.left().is_some_and(|widget| widget.metadata.deletion_timestamp.is_some()), || {
        "the widget as it is ending, for its finalizer".into()
    })?;
    until("the widget's end", async || Ok(widgets.get_opt("thing").await?.is_none())).await?;
    let cleanups = context.cleanups.load(Ordering::Relaxed);
    expect(cleanups >= 1, || "a cleanup before".into())?;
    until("the ConfigMap's end", async || Ok(peer.api::<ConfigMap>().get_opt("thing").await?.is_none())).await
}

async fn undefine(peer: &Peer) -> Outcome {
    let definitions: Api<CustomResourceDefinition> = Api::all(peer.client.clone());
    definitions.delete(Widget::crd_name(), &DeleteParams::default()).await?;
    until("its end", async || Ok(definitions.get_opt(Widget::crd_name()).await?.is_none())).await?;
    until("no longer served", async || match peer.api::<Widget>().list(&ListParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(true),
        other => other.map(|_| false).map_err(Failure::from),
    })
    .await
}
