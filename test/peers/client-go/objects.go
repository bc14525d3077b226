package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

var objectSteps = []step{
	{"typed create and get", createAndGet},
	{"typed errors: 404, 409 AlreadyExists, 422", typedErrors},
	{"typed update, and 409 for a stale one", updateAndConflict},
	{"typed status update", updateStatus},
	{"JSON, merge and strategic patches", patches},
	{"dry run changes nothing", dryRun},
	{"lists in pages, with selectors", listPages},
	{"typed delete, with preconditions", deletePod},
	{"delete of a collection", deleteCollection},
	{"an owner's end is that of what it owns", ownersEnd},
	{"a finalizer delays the end", finalizerDelays},
}

func newPod(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "peer"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name:  "main",
			Image: "example.com/main:1",
			Env:   []corev1.EnvVar{{Name: "LEVEL", Value: "1"}},
			Ports: []corev1.ContainerPort{{ContainerPort: 8080}},
		}}},
	}
}

func newConfigMap(name string, data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "peer"}},
		Data:       data,
	}
}

func createAndGet(ctx context.Context, p *peer) error {
	pods := p.typed.CoreV1().Pods(p.namespace)
	created, err := pods.Create(ctx, newPod("written"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := expect(created.UID != "" && created.ResourceVersion != "" && !created.CreationTimestamp.IsZero(),
		"a uid, a resourceVersion and a creation time, not %+v", created.ObjectMeta); err != nil {
		return err
	}
	read, err := pods.Get(ctx, "written", metav1.GetOptions{})
	if err != nil {
		return err
	}
	container := read.Spec.Containers[0]
	if err := expect(read.UID == created.UID && read.ResourceVersion == created.ResourceVersion &&
		container.Env[0].Value == "1" && container.Ports[0].ContainerPort == 8080, "what was created, not %+v", read); err != nil {
		return err
	}
	// The defaults that a real server sets.
	if err := expect(container.ImagePullPolicy == corev1.PullIfNotPresent && container.Ports[0].Protocol == corev1.ProtocolTCP &&
		read.Spec.RestartPolicy == corev1.RestartPolicyAlways && read.Status.Phase == corev1.PodPending,
		"the defaults of a pod, not %+v %+v", read.Spec, read.Status); err != nil {
		return err
	}
	named, err := pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "named-"}, Spec: newPod("").Spec,
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("with generateName: %w", err)
	}
	return expect(len(named.Name) == len("named-")+5, "a name of named- and five characters, not %q", named.Name)
}

func typedErrors(ctx context.Context, p *peer) error {
	pods := p.typed.CoreV1().Pods(p.namespace)
	_, err := pods.Get(ctx, "absent", metav1.GetOptions{})
	if err := must(err, apierrors.IsNotFound, "404 NotFound"); err != nil {
		return err
	}
	_, err = pods.Create(ctx, newPod("written"), metav1.CreateOptions{})
	if err := must(err, apierrors.IsAlreadyExists, "409 AlreadyExists"); err != nil {
		return err
	}
	_, err = pods.Create(ctx, newPod("Not_A_Name"), metav1.CreateOptions{})
	return must(err, apierrors.IsInvalid, "422 Invalid")
}

func updateAndConflict(ctx context.Context, p *peer) error {
	pods := p.typed.CoreV1().Pods(p.namespace)
	stale, err := pods.Get(ctx, "written", metav1.GetOptions{})
	if err != nil {
		return err
	}
	fresh := stale.DeepCopy()
	fresh.Labels["step"] = "update"
	updated, err := pods.Update(ctx, fresh, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := expect(updated.Labels["step"] == "update" && updated.ResourceVersion != stale.ResourceVersion,
		"the new label and a new resourceVersion, not %+v", updated.ObjectMeta); err != nil {
		return err
	}
	same, err := pods.Update(ctx, updated, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	if err := expect(same.ResourceVersion == updated.ResourceVersion, "no new version without a change"); err != nil {
		return err
	}
	stale.Labels["step"] = "stale"
	_, err = pods.Update(ctx, stale, metav1.UpdateOptions{})
	if err := must(err, apierrors.IsConflict, "409 Conflict"); err != nil {
		return err
	}
	tries := 0
	pod := stale
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() (err error) {
		if tries++; tries > 1 {
			if pod, err = pods.Get(ctx, "written", metav1.GetOptions{}); err != nil {
				return err
			}
		}
		pod.Labels["step"] = "retried"
		_, err = pods.Update(ctx, pod, metav1.UpdateOptions{})
		return err
	}); err != nil {
		return fmt.Errorf("RetryOnConflict: %w", err)
	}
	return expect(tries == 2, "two tries, not %d", tries)
}

func updateStatus(ctx context.Context, p *peer) error {
	pods := p.typed.CoreV1().Pods(p.namespace)
	pod, err := pods.Get(ctx, "written", metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now(),
	}}
	pod.Spec.Containers[0].Image = "example.com/ignored:1"
	updated, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return expect(updated.Status.Phase == corev1.PodRunning && len(updated.Status.Conditions) == 1 &&
		updated.Spec.Containers[0].Image == "example.com/main:1", "the status and nothing else to change, not %+v", updated)
}

func patches(ctx context.Context, p *peer) error {
	pods := p.typed.CoreV1().Pods(p.namespace)
	patch := func(kind types.PatchType, body string) (*corev1.Pod, error) {
		pod, err := pods.Patch(ctx, "written", kind, []byte(body), metav1.PatchOptions{FieldManager: "peer"})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		return pod, nil
	}
	pod, err := patch(types.JSONPatchType, `[{"op":"test","path":"/metadata/labels/app","value":"peer"},
		{"op":"add","path":"/metadata/labels/json","value":"yes"}]`)
	if err != nil {
		return err
	}
	if err := expect(pod.Labels["json"] == "yes", "the JSON patch's label in %v", pod.Labels); err != nil {
		return err
	}
	if pod, err = patch(types.MergePatchType, `{"metadata":{"labels":{"json":null,"merge":"yes"}}}`); err != nil {
		return err
	}
	_, left := pod.Labels["json"]
	if err := expect(!left && pod.Labels["merge"] == "yes", "the merge patch's labels, not %v", pod.Labels); err != nil {
		return err
	}
	// Merged into the container of that name; does not replace all containers.
	if pod, err = patch(types.StrategicMergePatchType,
		`{"spec":{"containers":[{"name":"main","image":"example.com/main:2"}]}}`); err != nil {
		return err
	}
	container := pod.Spec.Containers[0]
	if err := expect(len(pod.Spec.Containers) == 1 && container.Image == "example.com/main:2" && len(container.Env) == 1,
		"the strategic patch merged by name, not %+v", pod.Spec.Containers); err != nil {
		return err
	}
	_, err = patch(types.JSONPatchType, `[{"op":"test","path":"/metadata/labels/app","value":"other"}]`)
	return must(err, apierrors.IsInvalid, "422 for a JSON patch's failed test")
}

func dryRun(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	tried, err := maps.Create(ctx, newConfigMap("tried", nil), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err
	}
	if err := expect(tried.UID != "", "a uid of what would have been"); err != nil {
		return err
	}
	_, err = maps.Get(ctx, "tried", metav1.GetOptions{})
	return must(err, apierrors.IsNotFound, "404 NotFound")
}

func listPages(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	for i := range 7 {
		m := newConfigMap(fmt.Sprintf("paged-%d", i), nil)
		m.Labels["page"] = "yes"
		if _, err := maps.Create(ctx, m, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	pages := 0
	lister := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		pages++
		return maps.List(ctx, options)
	})
	lister.PageSize = 3
	var names []string
	if err := lister.EachListItem(ctx, metav1.ListOptions{LabelSelector: "page in (yes)"}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	}); err != nil {
		return err
	}
	if err := expect(pages == 3 && len(names) == 7 && names[6] == "paged-6", "7 in 3 pages, not %v in %d", names, pages); err != nil {
		return err
	}
	pods, err := p.typed.CoreV1().Pods("").List(ctx, metav1.ListOptions{
		FieldSelector: "metadata.namespace=" + p.namespace + ",status.phase=Running",
	})
	if err != nil {
		return err
	}
	return expect(len(pods.Items) == 1 && pods.Items[0].Name == "written", "the one running pod, not %d", len(pods.Items))
}

func deletePod(ctx context.Context, p *peer) error {
	pods := p.typed.CoreV1().Pods(p.namespace)
	other := types.UID("8b9f1c1e-0000-4000-8000-000000000000")
	err := pods.Delete(ctx, "written", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}})
	if err := must(err, apierrors.IsConflict, "409 Conflict"); err != nil {
		return err
	}
	if err := pods.Delete(ctx, "written", metav1.DeleteOptions{}); err != nil {
		return err
	}
	err = pods.Delete(ctx, "written", metav1.DeleteOptions{})
	return must(err, apierrors.IsNotFound, "404 NotFound")
}

func deleteCollection(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	if err := maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "page=yes"}); err != nil {
		return err
	}
	left, err := maps.List(ctx, metav1.ListOptions{LabelSelector: "page=yes"})
	if err != nil {
		return err
	}
	return expect(len(left.Items) == 0, "none left, not %d", len(left.Items))
}

func ownersEnd(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	owner, err := maps.Create(ctx, newConfigMap("owner", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	owned := newConfigMap("owned", nil)
	owned.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(owner, corev1.SchemeGroupVersion.WithKind("ConfigMap")),
	}
	if _, err := maps.Create(ctx, owned, metav1.CreateOptions{}); err != nil {
		return err
	}
	policy := metav1.DeletePropagationBackground
	if err := maps.Delete(ctx, "owner", metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		return err
	}
	return until(ctx, "the end of what is owned", func(ctx context.Context) (bool, error) {
		_, err := maps.Get(ctx, "owned", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
}

func finalizerDelays(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	held := newConfigMap("held", nil)
	held.Finalizers = []string{"peers.kinformer.dev/hold"}
	if _, err := maps.Create(ctx, held, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := maps.Delete(ctx, "held", metav1.DeleteOptions{}); err != nil {
		return err
	}
	ending, err := maps.Get(ctx, "held", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := expect(ending.DeletionTimestamp != nil, "a deletion time"); err != nil {
		return err
	}
	ending.Finalizers = nil
	if _, err := maps.Update(ctx, ending, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err = maps.Get(ctx, "held", metav1.GetOptions{})
	return must(err, apierrors.IsNotFound, "404 NotFound")
}
