//! Requests: reads, writes, patches, errors, discovery.

use k8s_openapi::api::{
    apps::v1::Deployment,
    core::v1::{ConfigMap, Pod},
};
use kube::{
    Discovery, ResourceExt,
    api::{ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, Preconditions},
    core::GroupVersionKind,
    discovery::{Scope, verbs},
    runtime::events::{Event, EventType, Recorder, Reporter},
};
use serde_json::json;

use crate::{Failure, Outcome, Peer, config_map, expect, refused, step, until};

pub async fn run(peer: &Peer) -> Outcome {
    step("server version and discovery", discovery(peer)).await?;
    step("create, get, replace, and 409 for a stale one", writes(peer)).await?;
    step("JSON, merge and strategic patches", patches(peer)).await?;
    step("server-side apply: conflict (409), force", apply(peer)).await?;
    step("status and scale subresources", subresources(peer)).await?;
    step("lists in pages, and of metadata alone", lists(peer)).await?;
    step("entry: get or create, then modify", entry(peer)).await?;
    step("dynamic objects", dynamic(peer)).await?;
    step("delete, with preconditions, and of a collection", deletes(peer)).await?;
    step("recorder of events, as a series", events(peer)).await
}

fn pod(name: &str) -> Result<Pod, Failure> {
    Ok(serde_json::from_value(json!({
        "metadata": {"name": name, "labels": {"app": "peer"}},
        "spec": {"containers": [{"name": "main", "image": "example.com/main:1", "env": [{"name": "LEVEL", "value": "1"}]}]},
    }))?)
}

async fn discovery(peer: &Peer) -> Outcome {
    let version = peer.client.apiserver_version().await?;
    expect(version.major == "1", || format!("version 1, not {version:?}"))?;
    // Group by group, and aggregated as on newer servers.
    let one_by_one = Discovery::new(peer.client.clone()).run().await?;
    let at_once = Discovery::new(peer.client.clone()).run_aggregated().await?;
    for discovery in [one_by_one, at_once] {
        let (resource, capabilities) = discovery
            .resolve_gvk(&GroupVersionKind::gvk("apps", "v1", "Deployment"))
            .ok_or("expected Deployment among the kinds")?;
        expect(
            resource.plural == "deployments"
                && capabilities.scope == Scope::Namespaced
                && capabilities.supports_operation(verbs::WATCH)
                && capabilities.subresources.iter().any(|(r, _)| r.plural.ends_with("status")),
            || format!("deployments with a status to be watched in namespaces, not {resource:?} {capabilities:?}"),
        )?;
    }
    Ok(())
}

async fn writes(peer: &Peer) -> Outcome {
    let pods = peer.api::<Pod>();
    let created = pods.create(&PostParams::default(), &pod("written")?).await?;
    let read = pods.get("written").await?;
    expect(
        read.uid().is_some()
            && read.uid() == created.uid()
            && read.creation_timestamp().is_some()
            && read.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Pending"),
        || format!("what was created, with its defaults, not {read:?}"),
    )?;
    refused(pods.get("absent").await, 404, "NotFound")?;
    refused(pods.create(&PostParams::default(), &pod("written")?).await, 409, "AlreadyExists")?;
    refused(pods.create(&PostParams::default(), &pod("Not_A_Name")?).await, 422, "Invalid")?;

    let mut fresh = read.clone();
    fresh.labels_mut().insert("step".into(), "replace".into());
    let replaced = pods.replace("written", &PostParams::default(), &fresh).await?;
    expect(replaced.resource_version() != read.resource_version(), || "a new resourceVersion".into())?;
    refused(pods.replace("written", &PostParams::default(), &fresh).await, 409, "Conflict")?;

    let dry = PostParams { dry_run: true, ..Default::default() };
    pods.create(&dry, &pod("dry")?).await?;
    expect(pods.get_opt("dry").await?.is_none(), || "nothing of a dry run to stay".into())
}

async fn patches(peer: &Peer) -> Outcome {
    let pods = peer.api::<Pod>();
    let params = PatchParams::default();
    let operations = json!([
        {"op": "test", "path": "/metadata/labels/app", "value": "peer"},
        {"op": "add", "path": "/metadata/labels/json", "value": "yes"},
    ]);
    let patched = pods.patch("written", &params, &Patch::Json::<()>(serde_json::from_value(operations)?)).await?;
    expect(patched.labels().contains_key("json"), || format!("the JSON patch's label, not {:?}", patched.labels()))?;

    let merge = json!({"metadata": {"labels": {"json": null, "merge": "yes"}}});
    let patched = pods.patch("written", &params, &Patch::Merge(merge)).await?;
    expect(patched.labels().contains_key("merge") && !patched.labels().contains_key("json"), || {
        format!("the merge patch's labels, not {:?}", patched.labels())
    })?;

    let strategic = json!({"spec": {"containers": [{"name": "main", "image": "example.com/main:2"}]}});
    let patched = pods.patch("written", &params, &Patch::Strategic(strategic)).await?;
    let containers = patched.spec.map(|spec| spec.containers).unwrap_or_default();
    expect(
        containers.len() == 1
            && containers[0].image.as_deref() == Some("example.com/main:2")
            && containers[0].env.as_ref().is_some_and(|env| env.len() == 1),
        || format!("the strategic patch merged by name, not {containers:?}"),
    )
}

async fn apply(peer: &Peer) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    let first = PatchParams::apply("first");
    let second = PatchParams::apply("second");
    maps.patch("applied", &first, &Patch::Apply(config_map("applied", &[("a", "1"), ("b", "1")]))).await?;
    let other = config_map("applied", &[("a", "2")]);
    refused(maps.patch("applied", &second, &Patch::Apply(&other)).await, 409, "Conflict")?;
    let forced = maps.patch("applied", &second.force(), &Patch::Apply(&other)).await?;
    let data = forced.data.unwrap_or_default();
    expect(data["a"] == "2" && data["b"] == "1", || format!("a of the second and b of the first, not {data:?}"))?;
    let fewer = maps.patch("applied", &first, &Patch::Apply(config_map("applied", &[]))).await?;
    let data = fewer.data.unwrap_or_default();
    expect(data.len() == 1 && data["a"] == "2", || format!("b gone with its only manager, not {data:?}"))
}

async fn subresources(peer: &Peer) -> Outcome {
    let pods = peer.api::<Pod>();
    let status = json!({"status": {"phase": "Running"}, "spec": {"containers": null}});
    let patched = pods.patch_status("written", &PatchParams::default(), &Patch::Merge(status)).await?;
    expect(
        patched.status.as_ref().and_then(|s| s.phase.as_deref()) == Some("Running")
            && patched.spec.as_ref().is_some_and(|spec| spec.containers.len() == 1),
        || format!("the status and nothing else to change, not {patched:?}"),
    )?;

    let deployments = peer.api::<Deployment>();
    let deployment: Deployment = serde_json::from_value(json!({
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]},
            },
        },
    }))?;
    deployments.create(&PostParams::default(), &deployment).await?;
    let replicas = deployments.get_scale("web").await?.spec.and_then(|spec| spec.replicas);
    expect(replicas == Some(2), || format!("a scale of 2, not {replicas:?}"))?;
    let five = Patch::Merge(json!({"spec": {"replicas": 5}}));
    deployments.patch_scale("web", &PatchParams::default(), &five).await?;
    let replicas = deployments.get("web").await?.spec.and_then(|spec| spec.replicas);
    expect(replicas == Some(5), || format!("5 replicas, not {replicas:?}"))
}

async fn lists(peer: &Peer) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    for i in 0..5 {
        let mut map = config_map(&format!("paged-{i}"), &[("key", "value")]);
        map.labels_mut().insert("page".into(), "yes".into());
        maps.create(&PostParams::default(), &map).await?;
    }
    let mut params = ListParams::default().labels("page=yes").limit(2);
    let mut names = Vec::new();
    let mut pages = 0;
    loop {
        let page = maps.list(&params).await?;
        pages += 1;
        names.extend(page.items.iter().map(ResourceExt::name_any));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => break,
        }
    }
    expect(pages == 3 && names.len() == 5, || format!("5 in 3 pages, not {names:?} in {pages}"))?;
    let partial = maps.list_metadata(&ListParams::default().labels("page=yes")).await?;
    expect(partial.items.len() == 5 && partial.items.iter().all(|item| item.uid().is_some()), || {
        format!("the metadata of 5, not {partial:?}")
    })?;
    let running = peer.api::<Pod>().list(&ListParams::default().fields("status.phase=Running")).await?;
    expect(running.items.len() == 1, || format!("one running pod, not {}", running.items.len()))
}

async fn entry(peer: &Peer) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    for (value, label) in [("1", "created"), ("2", "modified")] {
        let mut entry = maps.entry("entry").await?.or_insert(|| config_map("entry", &[])).and_modify(|map| {
            map.data.get_or_insert_default().insert("value".into(), value.into());
        });
        entry.commit(&PostParams::default()).await?;
        let data = maps.get("entry").await?.data.unwrap_or_default();
        expect(data.get("value").map(String::as_str) == Some(value), || format!("to be {label}, not {data:?}"))?;
    }
    Ok(())
}

async fn dynamic(peer: &Peer) -> Outcome {
    let resource = ApiResource::erase::<ConfigMap>(&());
    let api: kube::Api<DynamicObject> = kube::Api::namespaced_with(peer.client.clone(), &peer.namespace, &resource);
    let object = DynamicObject::new("dynamic", &resource).data(json!({"data": {"key": "value"}}));
    api.create(&PostParams::default(), &object).await?;
    let read = api.get("dynamic").await?;
    expect(
        read.data["data"]["key"] == "value" && read.types.as_ref().is_some_and(|types| types.kind == "ConfigMap"),
        || format!("a ConfigMap with its data, not {read:?}"),
    )
}

async fn deletes(peer: &Peer) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    let other = Preconditions { uid: Some("8b9f1c1e-0000-4000-8000-000000000000".into()), resource_version: None };
    refused(maps.delete("dynamic", &DeleteParams::default().preconditions(other)).await, 409, "Conflict")?;
    let answer = maps.delete("dynamic", &DeleteParams::default()).await?;
    expect(answer.right().is_some_and(|status| status.is_success()), || "a Status of success".into())?;
    refused(maps.delete("dynamic", &DeleteParams::default()).await, 404, "NotFound")?;
    let yes = ListParams::default().labels("page=yes");
    maps.delete_collection(&DeleteParams::default(), &yes).await?;
    let left = maps.list(&yes).await?.items.len();
    expect(left == 0, || format!("none left, not {left}"))
}

async fn events(peer: &Peer) -> Outcome {
    use k8s_openapi::api::events::v1::Event as Recorded;
    use kube::Resource;
    let about = peer.api::<ConfigMap>().create(&PostParams::default(), &config_map("news", &[])).await?;
    let recorder = Recorder::new(peer.client.clone(), Reporter::from("peers.kinformer.dev/news"));
    let event = Event {
        type_: EventType::Normal,
        reason: "Happened".into(),
        note: Some("news happened".into()),
        action: "Happening".into(),
        secondary: None,
    };
    for count in 1..=2 {
        recorder.publish(&event, &about.object_ref(&())).await?;
        until("the event", async || {
            let list = peer.api::<Recorded>().list(&ListParams::default()).await?;
            Ok(list.items.iter().any(|recorded| {
                recorded.regarding.as_ref().is_some_and(|object| object.uid == about.uid())
                    && recorded.reason.as_deref() == Some("Happened")
                    && (count == 1 || recorded.series.as_ref().is_some_and(|series| series.count == count))
            }))
        })
        .await?;
    }
    Ok(())
}
