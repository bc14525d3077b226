package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
)

var applySteps = []step{
	{"typed server-side apply: create, conflict (409), force", typedApply},
	{"a field no longer applied is removed", applyRemoves},
	{"apply merges a deployment's lists by their keys", applyLists},
	{"dynamic server-side apply: conflict, force, status", dynamicApply},
}

// A conflict must name the field and its owner.
func conflictOver(err error, field string) error {
	if err := must(err, apierrors.IsConflict, "409 Conflict"); err != nil {
		return err
	}
	causes := err.(apierrors.APIStatus).Status().Details.Causes
	return expect(len(causes) == 1 && causes[0].Type == metav1.CauseTypeFieldManagerConflict && causes[0].Field == field,
		"a conflict over %s, not %+v", field, causes)
}

func typedApply(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	apply := func(manager, key, value string, force bool) (string, error) {
		m, err := maps.Apply(ctx, coreac.ConfigMap("applied", p.namespace).WithData(map[string]string{key: value}),
			metav1.ApplyOptions{FieldManager: manager, Force: force})
		if err != nil {
			return "", err
		}
		return m.Data["shared"], nil
	}
	if _, err := apply("first", "shared", "one", false); err != nil {
		return err
	}
	_, err := apply("second", "shared", "two", false)
	if err := conflictOver(err, ".data.shared"); err != nil {
		return err
	}
	value, err := apply("second", "shared", "two", true)
	if err != nil {
		return fmt.Errorf("with force: %w", err)
	}
	if err := expect(value == "two", "two, not %s", value); err != nil {
		return err
	}
	_, err = apply("first", "shared", "one", false)
	if err := conflictOver(err, ".data.shared"); err != nil {
		return fmt.Errorf("after force: %w", err)
	}
	_, err = apply("", "shared", "one", false)
	return must(err, apierrors.IsInvalid, "422 without a field manager")
}

func applyRemoves(ctx context.Context, p *peer) error {
	maps := p.typed.CoreV1().ConfigMaps(p.namespace)
	options := metav1.ApplyOptions{FieldManager: "third"}
	if _, err := maps.Apply(ctx, coreac.ConfigMap("shrinking", p.namespace).WithData(map[string]string{"a": "1", "b": "2"}), options); err != nil {
		return err
	}
	live, err := maps.Get(ctx, "shrinking", metav1.GetOptions{})
	if err != nil {
		return err
	}
	// As a controller that extracts its own fields, changes them and applies them again.
	own, err := coreac.ExtractConfigMap(live, "third")
	if err != nil {
		return err
	}
	if err := expect(own.Data["a"] == "1" && own.Data["b"] == "2", "both fields extracted, not %v", own.Data); err != nil {
		return err
	}
	delete(own.Data, "a")
	m, err := maps.Apply(ctx, own, options)
	if err != nil {
		return err
	}
	_, left := m.Data["a"]
	return expect(!left && m.Data["b"] == "2", "b alone, not %v", m.Data)
}

func applyLists(ctx context.Context, p *peer) error {
	deployments := p.typed.AppsV1().Deployments(p.namespace)
	with := func(container, image string) *appsac.DeploymentApplyConfiguration {
		return appsac.Deployment("web", p.namespace).WithSpec(appsac.DeploymentSpec().
			WithSelector(metaac.LabelSelector().WithMatchLabels(map[string]string{"app": "web"})).
			WithTemplate(coreac.PodTemplateSpec().
				WithLabels(map[string]string{"app": "web"}).
				WithSpec(coreac.PodSpec().WithContainers(coreac.Container().WithName(container).WithImage(image).
					WithPorts(coreac.ContainerPort().WithContainerPort(80)).
					WithLivenessProbe(coreac.Probe().WithHTTPGet(coreac.HTTPGetAction().WithPath("/").WithPort(intstr.FromInt32(80))))))))
	}
	if _, err := deployments.Apply(ctx, with("web", "example.com/web:1"), metav1.ApplyOptions{FieldManager: "web"}); err != nil {
		return err
	}
	both, err := deployments.Apply(ctx, with("sidecar", "example.com/sidecar:1"), metav1.ApplyOptions{FieldManager: "sidecar"})
	if err != nil {
		return err
	}
	containers := both.Spec.Template.Spec.Containers
	if err := expect(len(containers) == 2, "two containers, not %+v", containers); err != nil {
		return err
	}
	again, err := deployments.Apply(ctx, with("web", "example.com/web:2"), metav1.ApplyOptions{FieldManager: "web"})
	if err != nil {
		return err
	}
	containers = again.Spec.Template.Spec.Containers
	return expect(len(containers) == 2 && containers[0].Image == "example.com/web:2" && again.Generation == 3,
		"both containers, and generation 3, not %d of %+v", again.Generation, containers)
}

func dynamicApply(ctx context.Context, p *peer) error {
	apply := func(manager string, size int64, force bool) (*unstructured.Unstructured, error) {
		return p.gadgets().Apply(ctx, "applied", newGadget("applied", map[string]any{"size": size}),
			metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	if _, err := apply("first", 1, false); err != nil {
		return err
	}
	_, err := apply("second", 2, false)
	if err := conflictOver(err, ".spec.size"); err != nil {
		return err
	}
	forced, err := apply("second", 2, true)
	if err != nil {
		return fmt.Errorf("with force: %w", err)
	}
	size, _, _ := unstructured.NestedInt64(forced.Object, "spec", "size")
	if err := expect(size == 2, "size 2, not %d", size); err != nil {
		return err
	}
	status := newGadget("applied", nil)
	delete(status.Object, "spec")
	status.Object["status"] = map[string]any{"ready": true}
	applied, err := p.gadgets().ApplyStatus(ctx, "applied", status, metav1.ApplyOptions{FieldManager: "second"})
	if err != nil {
		return fmt.Errorf("of status: %w", err)
	}
	ready, _, _ := unstructured.NestedBool(applied.Object, "status", "ready")
	size, _, _ = unstructured.NestedInt64(applied.Object, "spec", "size")
	if err := expect(ready && size == 2, "the status beside the spec, not %v", applied.Object); err != nil {
		return err
	}
	return expect(len(applied.GetManagedFields()) >= 2, "the managers of the fields, not %v", applied.GetManagedFields())
}
