package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	typedcore "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

var controllerSteps = []step{
	{"a controller: informer, workqueue, retries, writes", controller},
	{"leader election: the second takes over", election},
	{"events of the events.k8s.io broadcaster, as a series", newEvents},
	{"events of the core broadcaster, counted", oldEvents},
}

var endSteps = []step{
	{"a CustomResourceDefinition's end is that of its resources", deleteDefinition},
	{"a namespace's end is that of what is in it", deleteNamespace},
}

// Creates a Secret for each labelled ConfigMap, under the same name. The first attempt for each one fails.
func controller(ctx context.Context, p *peer) error {
	factory := informers.NewSharedInformerFactoryWithOptions(p.typed, 0, informers.WithNamespace(p.namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "controlled" }))
	informer := factory.Core().V1().ConfigMaps()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	enqueue := func(object any) {
		if name, err := cache.ObjectToName(object); err == nil {
			queue.Add(name)
		}
	}
	if _, err := informer.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: enqueue, UpdateFunc: func(_, object any) { enqueue(object) },
	}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	defer factory.Shutdown()
	defer func() { <-ended }()
	defer queue.ShutDown()
	defer cancel()
	factory.StartWithContext(ctx)

	reconcile := func(name cache.ObjectName) error {
		if queue.NumRequeues(name) == 0 {
			return fmt.Errorf("not yet")
		}
		m, err := informer.Lister().ConfigMaps(name.Namespace).Get(name.Name)
		if err != nil {
			return err
		}
		_, err = p.typed.CoreV1().Secrets(name.Namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{
			Name:            m.Name,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(m, corev1.SchemeGroupVersion.WithKind("ConfigMap"))},
		}}, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) {
			return nil
		}
		return err
	}
	go func() {
		defer close(ended)
		for {
			name, down := queue.Get()
			if down {
				return
			}
			if reconcile(name) != nil {
				queue.AddRateLimited(name)
			} else {
				queue.Forget(name)
			}
			queue.Done(name)
		}
	}()

	const count = 5
	for i := range count {
		m := newConfigMap(fmt.Sprintf("controlled-%d", i), nil)
		m.Labels["controlled"] = ""
		if _, err := p.typed.CoreV1().ConfigMaps(p.namespace).Create(ctx, m, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return until(ctx, "a Secret for each", func(ctx context.Context) (bool, error) {
		list, err := p.typed.CoreV1().Secrets(p.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		return len(list.Items) == count, nil
	})
}

func election(ctx context.Context, p *peer) error {
	leads := make(chan string, 10)
	ends := make(chan string, 10)
	// Starts a candidate. The returned function makes it release the lease and waits for its end.
	stand := func(name string) (func(), error) {
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: p.namespace, Name: "leader"},
				Client:     p.typed.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: name},
			},
			LeaseDuration:   4 * time.Second,
			RenewDeadline:   3 * time.Second,
			RetryPeriod:     500 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(ctx context.Context) { leads <- name; <-ctx.Done() },
				OnStoppedLeading: func() { ends <- name },
			},
		})
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			elector.Run(ctx)
		}()
		return func() { cancel(); <-ended }, nil
	}
	holder := func() (string, int32, error) {
		lease, err := p.typed.CoordinationV1().Leases(p.namespace).Get(ctx, "leader", metav1.GetOptions{})
		if err != nil {
			return "", 0, err
		}
		if lease.Spec.HolderIdentity == nil || lease.Spec.LeaseTransitions == nil || lease.Spec.RenewTime == nil {
			return "", 0, fmt.Errorf("not a held lease: %+v", lease.Spec)
		}
		return *lease.Spec.HolderIdentity, *lease.Spec.LeaseTransitions, nil
	}
	release, err := stand("first")
	if err != nil {
		return err
	}
	defer release()
	leader, err := await(ctx, leads, "the first leader")
	if err != nil {
		return err
	}
	if err := expect(leader == "first", "first to lead, not %s", leader); err != nil {
		return err
	}
	releaseSecond, err := stand("second")
	if err != nil {
		return err
	}
	defer releaseSecond()
	name, _, err := holder()
	if err != nil {
		return err
	}
	if err := expect(name == "first", "the lease to be first's, not %s's", name); err != nil {
		return err
	}
	release()
	if leader, err = await(ctx, leads, "the second leader"); err != nil {
		return err
	}
	if err := expect(leader == "second", "second to lead, not %s", leader); err != nil {
		return err
	}
	if ended, err := await(ctx, ends, "the end of the first's time"); err != nil || ended != "first" {
		return fmt.Errorf("the end of the first's time: %q, %v", ended, err)
	}
	name, transitions, err := holder()
	if err != nil {
		return err
	}
	return expect(name == "second" && transitions >= 1, "the lease to be second's after a change, not %s's after %d", name, transitions)
}

func newEvents(ctx context.Context, p *peer) error {
	about, err := p.typed.CoreV1().ConfigMaps(p.namespace).Create(ctx, newConfigMap("news", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: p.typed.EventsV1()})
	defer broadcaster.Shutdown()
	if err := broadcaster.StartRecordingToSinkWithContext(ctx); err != nil {
		return err
	}
	recorder := broadcaster.NewRecorder(scheme.Scheme, "peers.kinformer.dev/news")
	// The second identical event turns it into a series, by a patch.
	for count := range int32(2) {
		recorder.Eventf(about, nil, corev1.EventTypeNormal, "Happened", "Happening", "%s happened", about.Name)
		if err := until(ctx, fmt.Sprintf("event %d", count+1), func(ctx context.Context) (bool, error) {
			list, err := p.typed.EventsV1().Events(p.namespace).List(ctx, metav1.ListOptions{})
			if err != nil {
				return false, err
			}
			for _, event := range list.Items {
				if event.Regarding.UID == about.UID && event.Reason == "Happened" && event.Note == "news happened" {
					return count == 0 || (event.Series != nil && event.Series.Count >= 2), nil
				}
			}
			return false, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func oldEvents(ctx context.Context, p *peer) error {
	about, err := p.typed.CoreV1().ConfigMaps(p.namespace).Create(ctx, newConfigMap("olds", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	broadcaster := record.NewBroadcaster(record.WithContext(ctx))
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(&typedcore.EventSinkImpl{Interface: p.typed.CoreV1().Events("")})
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "peer"})
	selector := fields.Set{"involvedObject.uid": string(about.UID), "reason": "Happened"}.AsSelector().String()
	for count := int32(1); count <= 3; count++ {
		recorder.Event(about, corev1.EventTypeWarning, "Happened", "olds happened")
		if err := until(ctx, fmt.Sprintf("event %d", count), func(ctx context.Context) (bool, error) {
			list, err := p.typed.CoreV1().Events(p.namespace).List(ctx, metav1.ListOptions{FieldSelector: selector})
			if err != nil {
				return false, err
			}
			return len(list.Items) == 1 && list.Items[0].Count == count, nil
		}); err != nil {
			return err
		}
	}
	return nil
}

func deleteDefinition(ctx context.Context, p *peer) error {
	if err := p.dynamic.Resource(definitions).Delete(ctx, "gadgets.go.peers.kinformer.dev", metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := until(ctx, "the definition's end", func(ctx context.Context) (bool, error) {
		_, err := p.dynamic.Resource(definitions).Get(ctx, "gadgets.go.peers.kinformer.dev", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	}); err != nil {
		return err
	}
	return until(ctx, "no longer served", func(ctx context.Context) (bool, error) {
		_, err := p.gadgets().List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}

func deleteNamespace(ctx context.Context, p *peer) error {
	if err := p.typed.CoreV1().Namespaces().Delete(ctx, p.namespace, metav1.DeleteOptions{}); err != nil {
		return err
	}
	if err := until(ctx, "the namespace's end", func(ctx context.Context) (bool, error) {
		_, err := p.typed.CoreV1().Namespaces().Get(ctx, p.namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	}); err != nil {
		return err
	}
	left, err := p.typed.CoreV1().ConfigMaps(p.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return expect(len(left.Items) == 0, "nothing left, not %d", len(left.Items))
}
