package main

import (
	"context"
	"fmt"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

var watchSteps = []step{
	{"watch with initial events and their bookmark", watchList},
	{"a bookmark, and a watch resumed from it", bookmarkAndResume},
	{"RetryWatcher over watches that end", retryWatcher},
	{"a selector's watch: what leaves it is deleted", selectorWatch},
	{"UntilWithSync", untilWithSync},
}

func awaitEvent(ctx context.Context, from watch.Interface, kind watch.EventType, name string) (*corev1.ConfigMap, error) {
	event, err := await(ctx, from.ResultChan(), fmt.Sprintf("%s of %s", kind, name))
	if err != nil {
		return nil, err
	}
	if event.Type == watch.Error {
		return nil, fmt.Errorf("%s of %s: %w", kind, name, apierrors.FromObject(event.Object))
	}
	m, is := event.Object.(*corev1.ConfigMap)
	if !is || event.Type != kind || m.Name != name {
		return nil, fmt.Errorf("expected %s of %s, not %s of %+v", kind, name, event.Type, event.Object)
	}
	return m, nil
}

func watchList(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	if _, err := maps.Create(ctx, newConfigMap("there", nil), metav1.CreateOptions{}); err != nil {
		return err
	}
	yes := true
	watcher, err := maps.Watch(ctx, metav1.ListOptions{
		SendInitialEvents:    &yes,
		AllowWatchBookmarks:  true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan,
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	there, err := awaitEvent(ctx, watcher, watch.Added, "there")
	if err != nil {
		return err
	}
	if err := expect(there.UID != "", "the whole object"); err != nil {
		return err
	}
	bookmark, err := awaitEvent(ctx, watcher, watch.Bookmark, "")
	if err != nil {
		return err
	}
	return expect(bookmark.Annotations[metav1.InitialEventsAnnotationKey] == "true", "the end of the initial events, not %+v", bookmark)
}

// A watch gets a bookmark before it ends, so that its successor need not replay irrelevant events.
func bookmarkAndResume(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	seconds := int64(4)
	options := metav1.ListOptions{
		ResourceVersion: list.ResourceVersion, AllowWatchBookmarks: true, TimeoutSeconds: &seconds, LabelSelector: "wanted",
	}
	watcher, err := maps.Watch(ctx, options)
	if err != nil {
		return err
	}
	defer watcher.Stop()
	unwanted, err := maps.Create(ctx, newConfigMap("unwanted", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	bookmark, err := awaitEvent(ctx, watcher, watch.Bookmark, "")
	if err != nil {
		return err
	}
	order, err := resourceversion.CompareResourceVersion(bookmark.ResourceVersion, unwanted.ResourceVersion)
	if err != nil {
		return err
	}
	if err := expect(order >= 0, "a bookmark at %s or later, not %s",
		unwanted.ResourceVersion, bookmark.ResourceVersion); err != nil {
		return err
	}
	wanted := newConfigMap("wanted", nil)
	wanted.Labels["wanted"] = ""
	if _, err := maps.Create(ctx, wanted, metav1.CreateOptions{}); err != nil {
		return err
	}
	options.ResourceVersion = bookmark.ResourceVersion
	resumed, err := maps.Watch(ctx, options)
	if err != nil {
		return err
	}
	defer resumed.Stop()
	_, err = awaitEvent(ctx, resumed, watch.Added, "wanted")
	return err
}

func retryWatcher(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var watches atomic.Int32
	second := int64(1)
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			watches.Add(1)
			options.TimeoutSeconds = &second
			return maps.Watch(ctx, options)
		},
	})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	// Each one arrives in another of the server's watches; none is lost or duplicated.
	for i := range int32(3) {
		name := fmt.Sprintf("retried-%d", i)
		if _, err := maps.Create(ctx, newConfigMap(name, nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		if _, err := awaitEvent(ctx, watcher, watch.Added, name); err != nil {
			return err
		}
		before := watches.Load()
		if err := until(ctx, "another watch", func(context.Context) (bool, error) { return watches.Load() > before, nil }); err != nil {
			return err
		}
	}
	return nil
}

func selectorWatch(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	list, err := maps.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watcher, err := maps.Watch(ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion, LabelSelector: "colour=red"})
	if err != nil {
		return err
	}
	defer watcher.Stop()
	m := newConfigMap("coloured", nil)
	for _, turn := range []struct {
		colour string
		seen   watch.EventType
	}{{"blue", ""}, {"red", watch.Added}, {"blue", watch.Deleted}, {"red", watch.Added}} {
		m.Labels["colour"] = turn.colour
		if m.UID == "" {
			m, err = maps.Create(ctx, m, metav1.CreateOptions{})
		} else {
			m, err = maps.Update(ctx, m, metav1.UpdateOptions{})
		}
		if err != nil {
			return err
		}
		if turn.seen == "" {
			continue
		}
		event, err := awaitEvent(ctx, watcher, turn.seen, "coloured")
		if err != nil {
			return err
		}
		// The deletion, too, carries the version of the change, with the last matching state.
		if err := expect(event.Labels["colour"] == "red" && event.ResourceVersion == m.ResourceVersion,
			"red at %s, not %s at %s", m.ResourceVersion, event.Labels["colour"], event.ResourceVersion); err != nil {
			return err
		}
	}
	return nil
}

func untilWithSync(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := watchtools.UntilWithSync(ctx, &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return maps.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return maps.Watch(ctx, options)
		},
	}, &corev1.ConfigMap{}, nil, func(event watch.Event) (bool, error) {
		m := event.Object.(*corev1.ConfigMap)
		if m.Name != "coloured" {
			return false, nil
		}
		if event.Type == watch.Added {
			return false, maps.Delete(ctx, "coloured", metav1.DeleteOptions{})
		}
		return event.Type == watch.Deleted, nil
	})
	return err
}
