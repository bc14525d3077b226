package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/tools/cache"
)

var informerSteps = []step{
	{"typed shared informer: add, update, delete", typedInformer},
	{"metadata informer: add, update, delete", metadataInformer},
}

// notice is a handler call: its kind and the object's name.
type notice struct {
	what string
	name string
}

// notices is a handler that sends its calls to a channel. For an object that is not a T, the name is its type.
func notices[T metav1.Object](into chan<- notice) cache.ResourceEventHandler {
	name := func(object any) string {
		if gone, unknown := object.(cache.DeletedFinalStateUnknown); unknown {
			object = gone.Obj
		}
		if typed, is := object.(T); is {
			return typed.GetName()
		}
		return fmt.Sprintf("%T", object)
	}
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, initial bool) {
			if initial {
				into <- notice{"initial", name(object)}
			} else {
				into <- notice{"add", name(object)}
			}
		},
		UpdateFunc: func(_, object any) { into <- notice{"update", name(object)} },
		DeleteFunc: func(object any) { into <- notice{"delete", name(object)} },
	}
}

func awaitNotice(ctx context.Context, from <-chan notice, wanted notice) error {
	got, err := await(ctx, from, wanted.what+" of "+wanted.name)
	if err != nil {
		return err
	}
	return expect(got == wanted, "%v, not %v", wanted, got)
}

// started runs an informer until the returned function is called. Its cache is synced on return.
func started(ctx context.Context, informer cache.SharedIndexInformer) (context.CancelFunc, error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx)
	}()
	stop := func() {
		cancel()
		<-ended
	}
	if err := until(ctx, "cache sync", func(context.Context) (bool, error) { return informer.HasSynced(), nil }); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

func typedInformer(ctx context.Context, p *peer) error {
	pods := p.typed.CoreV1().Pods(p.namespace)
	if err := pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		return err
	}
	if _, err := pods.Create(ctx, newPod("first"), metav1.CreateOptions{}); err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(p.typed, 0, informers.WithNamespace(p.namespace))
	informer := factory.Core().V1().Pods()
	seen := make(chan notice, 100)
	if _, err := informer.Informer().AddEventHandler(notices[*corev1.Pod](seen)); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer factory.Shutdown()
	defer cancel()
	factory.StartWithContext(ctx)
	if err := until(ctx, "cache sync", func(context.Context) (bool, error) {
		return informer.Informer().HasSynced(), nil
	}); err != nil {
		return err
	}
	if err := awaitNotice(ctx, seen, notice{"initial", "first"}); err != nil {
		return err
	}
	if _, err := pods.Create(ctx, newPod("second"), metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := awaitNotice(ctx, seen, notice{"add", "second"}); err != nil {
		return err
	}
	listed, err := informer.Lister().Pods(p.namespace).List(labels.SelectorFromSet(labels.Set{"app": "peer"}))
	if err != nil {
		return err
	}
	if err := expect(len(listed) == 2 && listed[0].Spec.Containers[0].Image != "", "two whole pods in the cache, not %d", len(listed)); err != nil {
		return err
	}
	if _, err := pods.Patch(ctx, "second", types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{}); err != nil {
		return err
	}
	if err := awaitNotice(ctx, seen, notice{"update", "second"}); err != nil {
		return err
	}
	if err := pods.Delete(ctx, "second", metav1.DeleteOptions{}); err != nil {
		return err
	}
	// Deleting a pod first updates it.
	if err := awaitNotice(ctx, seen, notice{"update", "second"}); err != nil {
		return err
	}
	return awaitNotice(ctx, seen, notice{"delete", "second"})
}

func metadataInformer(ctx context.Context, p *peer) error {
	secrets := p.typed.CoreV1().Secrets(p.namespace)
	seen := make(chan notice, 100)
	informer := metadatainformer.NewFilteredMetadataInformer(p.metadata, corev1.SchemeGroupVersion.WithResource("secrets"),
		p.namespace, 0, cache.Indexers{}, nil).Informer()
	if _, err := informer.AddEventHandler(notices[*metav1.PartialObjectMetadata](seen)); err != nil {
		return err
	}
	stop, err := started(ctx, informer)
	if err != nil {
		return err
	}
	defer stop()
	secret, err := secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "hidden"}, StringData: map[string]string{"key": "value"},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := expect(string(secret.Data["key"]) == "value", "stringData to become data, not %v", secret.Data); err != nil {
		return err
	}
	if err := awaitNotice(ctx, seen, notice{"add", "hidden"}); err != nil {
		return err
	}
	cached, there, err := informer.GetStore().GetByKey(p.namespace + "/hidden")
	if err != nil || !there {
		return fmt.Errorf("not in the cache: %v", err)
	}
	partial := cached.(*metav1.PartialObjectMetadata)
	if err := expect(partial.UID == secret.UID, "the secret's own metadata, not %+v", partial); err != nil {
		return err
	}
	secret.Labels = map[string]string{"x": "y"}
	if _, err := secrets.Update(ctx, secret, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := awaitNotice(ctx, seen, notice{"update", "hidden"}); err != nil {
		return err
	}
	if err := secrets.Delete(ctx, "hidden", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return awaitNotice(ctx, seen, notice{"delete", "hidden"})
}
