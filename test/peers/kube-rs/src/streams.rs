//! Watches: the watcher's states, a reflector's store, metadata only, conditions.

use std::pin::pin;

use futures::{Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::{
    ResourceExt,
    api::{DeleteParams, ObjectMeta, Patch, PatchParams, PostParams},
    core::PartialObjectMeta,
    runtime::{
        WatchStreamExt,
        reflector::{self, ObjectRef},
        wait::{await_condition, conditions},
        watcher::{self, Event, watcher},
    },
};
use serde_json::json;

use crate::{Failure, Outcome, Peer, config_map, expect, step, until, within};

pub async fn run(peer: &Peer) -> Outcome {
    let pages = watcher::Config::default().labels("watched").page_size(2);
    let streaming = watcher::Config::default().labels("watched").streaming_lists();
    step("watcher and reflector store, over pages", reflect(peer, "paged", pages)).await?;
    step("watcher and reflector store, over a streamed list", reflect(peer, "streamed", streaming)).await?;
    step("watcher over watches that end", resume(peer)).await?;
    step("metadata watcher", metadata(peer)).await?;
    step("await_condition until deleted", deleted(peer)).await
}

fn watched(name: &str) -> ConfigMap {
    let mut map = config_map(name, &[("key", "1")]);
    map.labels_mut().insert("watched".into(), "yes".into());
    map
}

async fn next<T>(stream: &mut (impl Stream<Item = watcher::Result<T>> + Unpin)) -> Result<T, Failure> {
    Ok(within("the next event", stream.try_next()).await??.ok_or("the stream ended")?)
}

async fn reflect(peer: &Peer, prefix: &str, config: watcher::Config) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    for i in 0..5 {
        maps.create(&PostParams::default(), &watched(&format!("{prefix}-{i}"))).await?;
    }
    let (store, writer) = reflector::store();
    let stream = watcher(maps.clone(), config).default_backoff().reflect(writer).touched_objects();
    let task = tokio::spawn(async move {
        let mut stream = pin!(stream);
        // The stream continues after an error; the test does not.
        while let Some(object) = stream.next().await {
            object?;
        }
        Ok::<(), watcher::Error>(())
    });
    within("the store's first contents", store.wait_until_ready()).await??;
    expect(store.len() == 5, || format!("5 objects, not {}", store.len()))?;

    let last = format!("{prefix}-5");
    let key = ObjectRef::new(&last).within(&peer.namespace);
    maps.create(&PostParams::default(), &watched(&last)).await?;
    until("the new one", async || Ok(store.get(&key).is_some())).await?;
    maps.patch(&last, &PatchParams::default(), &Patch::Merge(json!({"data": {"key": "2"}}))).await?;
    until("its change", async || {
        Ok(store.get(&key).is_some_and(|map| map.data.as_ref().is_some_and(|data| data["key"] == "2")))
    })
    .await?;
    // It no longer matches the selector, which the watcher sees as a deletion.
    maps.patch(&last, &PatchParams::default(), &Patch::Merge(json!({"metadata": {"labels": null}}))).await?;
    until("its end", async || Ok(store.get(&key).is_none())).await?;
    for i in 0..6 {
        maps.delete(&format!("{prefix}-{i}"), &DeleteParams::default()).await?;
    }
    until("the end of all", async || Ok(store.is_empty())).await?;
    if task.is_finished() {
        return Err(format!("the watcher ended: {:?}", task.await).into());
    }
    task.abort();
    Ok(())
}

async fn resume(peer: &Peer) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    let config = watcher::Config::default().labels("watched").timeout(1);
    let mut stream = pin!(watcher(maps.clone(), config));
    for wanted in ["Init", "InitDone"] {
        let event = next(&mut stream).await?;
        expect(matches!((wanted, &event), ("Init", Event::Init) | ("InitDone", Event::InitDone)), || {
            format!("{wanted}, not {event:?}")
        })?;
    }
    // Each arrives after the previous watch has ended; none is lost, and nothing is relisted.
    for i in 0..3 {
        let name = format!("resumed-{i}");
        let quiet = tokio::time::timeout(std::time::Duration::from_millis(1200), stream.next()).await;
        expect(quiet.is_err(), || format!("nothing in between, not {quiet:?}"))?;
        maps.create(&PostParams::default(), &watched(&name)).await?;
        let event = next(&mut stream).await?;
        expect(matches!(&event, Event::Apply(map) if map.name_any() == name), || format!("{name}, not {event:?}"))?;
    }
    maps.delete("resumed-0", &DeleteParams::default()).await?;
    let event = next(&mut stream).await?;
    expect(matches!(&event, Event::Delete(map) if map.name_any() == "resumed-0"), || {
        format!("the deletion of resumed-0, not {event:?}")
    })
}

async fn metadata(peer: &Peer) -> Outcome {
    let secrets = peer.api::<Secret>();
    let secret = |name: &str| Secret {
        metadata: ObjectMeta { name: Some(name.into()), ..Default::default() },
        string_data: Some([("key".to_string(), "value".to_string())].into()),
        ..Default::default()
    };
    let first = secrets.create(&PostParams::default(), &secret("first")).await?;
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let mut stream = pin!(watcher(peer.api::<PartialObjectMeta<Secret>>(), config));
        let mut initial = Vec::new();
        loop {
            match next(&mut stream).await? {
                Event::Init => (),
                Event::InitApply(partial) => initial.push(partial),
                Event::InitDone => break,
                other => return Err(format!("expected the first list, not {other:?}").into()),
            }
        }
        expect(initial.len() == 1 && initial[0].uid() == first.uid(), || format!("the one secret, not {initial:?}"))?;
        secrets.create(&PostParams::default(), &secret("second")).await?;
        let event = next(&mut stream).await?;
        expect(matches!(&event, Event::Apply(partial) if partial.name_any() == "second"), || {
            format!("the second secret, not {event:?}")
        })?;
        let label = json!({"metadata": {"labels": {"x": "y"}}});
        secrets.patch_metadata("second", &PatchParams::default(), &Patch::Merge(label)).await?;
        let event = next(&mut stream).await?;
        expect(matches!(&event, Event::Apply(partial) if partial.labels().contains_key("x")), || {
            format!("its label, not {event:?}")
        })?;
        secrets.delete("second", &DeleteParams::default()).await?;
        let event = next(&mut stream).await?;
        expect(matches!(&event, Event::Delete(partial) if partial.name_any() == "second"), || {
            format!("its end, not {event:?}")
        })?;
    }
    Ok(())
}

async fn deleted(peer: &Peer) -> Outcome {
    let maps = peer.api::<ConfigMap>();
    let uid = maps.create(&PostParams::default(), &config_map("brief", &[])).await?.uid().ok_or("no uid")?;
    let gone = await_condition(maps.clone(), "brief", conditions::is_deleted(&uid));
    let delete = async {
        tokio::task::yield_now().await;
        maps.delete("brief", &DeleteParams::default()).await
    };
    let (gone, deleted) = within("the deletion", futures::future::join(gone, delete)).await?;
    deleted?;
    gone?;
    Ok(())
}
