package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
)

var customSteps = []step{
	{"a CustomResourceDefinition becomes Established", establish},
	{"its kind in the RESTMapper", mapCustomKind},
	{"custom resources: create, defaults, validation, pruning", customObjects},
	{"custom resources: status and scale subresources", customSubresources},
	{"dynamic informer on custom resources", dynamicInformer},
	{"metadata client on custom resources", customMetadata},
}

var (
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	gadgets     = schema.GroupVersionResource{Group: "go.peers.kinformer.dev", Version: "v1", Resource: "gadgets"}
)

const definitionJSON = `{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {"name": "gadgets.go.peers.kinformer.dev"},
  "spec": {
    "group": "go.peers.kinformer.dev",
    "scope": "Namespaced",
    "names": {"plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList", "shortNames": ["gdg"]},
    "versions": [{
      "name": "v1", "served": true, "storage": true,
      "subresources": {
        "status": {},
        "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
      },
      "schema": {"openAPIV3Schema": {
        "type": "object",
        "required": ["spec"],
        "properties": {
          "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
              "size": {"type": "integer", "minimum": 1},
              "replicas": {"type": "integer", "default": 1},
              "colour": {"type": "string", "enum": ["red", "green"], "default": "green"}
            }
          },
          "status": {
            "type": "object",
            "properties": {"ready": {"type": "boolean"}, "replicas": {"type": "integer"}}
          }
        }
      }}
    }]
  }
}`

func parse(text string) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	return object, object.UnmarshalJSON([]byte(text))
}

func (p *peer) gadgets() dynamic.ResourceInterface {
	return p.dynamic.Resource(gadgets).Namespace(p.namespace)
}

func newGadget(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "go.peers.kinformer.dev/v1",
		"kind":       "Gadget",
		"metadata":   map[string]any{"name": name},
		"spec":       spec,
	}}
}

func establish(ctx context.Context, p *peer) error {
	definition, err := parse(definitionJSON)
	if err != nil {
		return err
	}
	if _, err := p.dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := until(ctx, "Established", func(ctx context.Context) (bool, error) {
		read, err := p.dynamic.Resource(definitions).Get(ctx, definition.GetName(), metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		// Initially null, which NestedSlice reports as an error.
		conditions, _, _ := unstructured.NestedSlice(read.Object, "status", "conditions")
		for _, c := range conditions {
			if c.(map[string]any)["type"] == "Established" && c.(map[string]any)["status"] == "True" {
				return true, nil
			}
		}
		return false, nil
	}); err != nil {
		return err
	}
	return until(ctx, "served", func(ctx context.Context) (bool, error) {
		list, err := p.gadgets().List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		return true, expect(list.GetKind() == "GadgetList" && len(list.Items) == 0, "an empty GadgetList, not %v", list)
	})
}

func mapCustomKind(ctx context.Context, p *peer) error {
	return until(ctx, "in discovery", func(context.Context) (bool, error) {
		cached := memory.NewMemCacheClient(p.typed.Discovery())
		mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cached), cached, nil)
		kind, err := mapper.KindFor(schema.GroupVersionResource{Resource: "gdg"})
		if err != nil {
			return false, nil
		}
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return false, err
		}
		return true, expect(mapping.Resource == gadgets, "%v, not %v", gadgets, mapping.Resource)
	})
}

func customObjects(ctx context.Context, p *peer) error {
	created, err := p.gadgets().Create(ctx, newGadget("one", map[string]any{"size": int64(3), "unknown": "x"}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	colour, _, _ := unstructured.NestedString(created.Object, "spec", "colour")
	_, kept, _ := unstructured.NestedFieldNoCopy(created.Object, "spec", "unknown")
	if err := expect(colour == "green" && !kept && created.GetGeneration() == 1,
		"a default, no unknown field and generation 1, not %v", created.Object); err != nil {
		return err
	}
	for _, spec := range []map[string]any{{"size": "three"}, {"size": int64(0)}, {"colour": "red"}, {"size": int64(1), "colour": "blue"}} {
		_, err := p.gadgets().Create(ctx, newGadget("bad", spec), metav1.CreateOptions{})
		if err := must(err, apierrors.IsInvalid, "422 Invalid"); err != nil {
			return fmt.Errorf("%v: %w", spec, err)
		}
	}
	_, err = p.gadgets().Create(ctx, newGadget("bad", map[string]any{"size": int64(3), "unknown": "x"}),
		metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	if err := must(err, apierrors.IsBadRequest, "400 for an unknown field, strictly"); err != nil {
		return err
	}
	patched, err := p.gadgets().Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"size":4}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if err := expect(patched.GetGeneration() == 2, "generation 2, not %d", patched.GetGeneration()); err != nil {
		return err
	}
	_, err = p.gadgets().Patch(ctx, "one", types.StrategicMergePatchType, []byte(`{"spec":{"size":4}}`), metav1.PatchOptions{})
	return must(err, apierrors.IsUnsupportedMediaType, "415 for a strategic patch")
}

func customSubresources(ctx context.Context, p *peer) error {
	gadget, err := p.gadgets().Get(ctx, "one", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := unstructured.SetNestedField(gadget.Object, true, "status", "ready"); err != nil {
		return err
	}
	if err := unstructured.SetNestedField(gadget.Object, int64(9), "spec", "size"); err != nil {
		return err
	}
	updated, err := p.gadgets().UpdateStatus(ctx, gadget, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	ready, _, _ := unstructured.NestedBool(updated.Object, "status", "ready")
	size, _, _ := unstructured.NestedInt64(updated.Object, "spec", "size")
	if err := expect(ready && size == 4 && updated.GetGeneration() == 2, "the status alone to change, not %v", updated.Object); err != nil {
		return err
	}
	unstructured.RemoveNestedField(updated.Object, "status")
	kept, err := p.gadgets().Update(ctx, updated, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	ready, _, _ = unstructured.NestedBool(kept.Object, "status", "ready")
	if err := expect(ready, "the status untouched by an update, not %v", kept.Object); err != nil {
		return err
	}
	scale, err := p.gadgets().Patch(ctx, "one", types.MergePatchType, []byte(`{"spec":{"replicas":5}}`), metav1.PatchOptions{}, "scale")
	if err != nil {
		return fmt.Errorf("scale: %w", err)
	}
	replicas, _, _ := unstructured.NestedInt64(scale.Object, "spec", "replicas")
	return expect(scale.GetKind() == "Scale" && replicas == 5, "a Scale of 5, not %v", scale.Object)
}

func dynamicInformer(ctx context.Context, p *peer) error {
	seen := make(chan notice, 100)
	informer := dynamicinformer.NewFilteredDynamicSharedInformerFactory(p.dynamic, 0, p.namespace, nil).ForResource(gadgets).Informer()
	if _, err := informer.AddEventHandler(notices[*unstructured.Unstructured](seen)); err != nil {
		return err
	}
	stop, err := started(ctx, informer)
	if err != nil {
		return err
	}
	defer stop()
	if err := awaitNotice(ctx, seen, notice{"initial", "one"}); err != nil {
		return err
	}
	two, err := p.gadgets().Create(ctx, newGadget("two", map[string]any{"size": int64(2)}), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if err := awaitNotice(ctx, seen, notice{"add", "two"}); err != nil {
		return err
	}
	if err := unstructured.SetNestedField(two.Object, int64(5), "spec", "size"); err != nil {
		return err
	}
	if _, err := p.gadgets().Update(ctx, two, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := awaitNotice(ctx, seen, notice{"update", "two"}); err != nil {
		return err
	}
	cached, there, err := informer.GetStore().GetByKey(cache.NewObjectName(p.namespace, "two").String())
	if err != nil || !there {
		return fmt.Errorf("not in the cache: %v", err)
	}
	size, _, _ := unstructured.NestedInt64(cached.(*unstructured.Unstructured).Object, "spec", "size")
	if err := expect(size == 5, "size 5 in the cache, not %d", size); err != nil {
		return err
	}
	if err := p.gadgets().Delete(ctx, "two", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return awaitNotice(ctx, seen, notice{"delete", "two"})
}

func customMetadata(ctx context.Context, p *peer) error {
	resource := p.metadata.Resource(gadgets).Namespace(p.namespace)
	one, err := resource.Get(ctx, "one", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err := expect(one.UID != "" && one.Generation == 3, "the metadata, not %+v", one); err != nil {
		return err
	}
	patched, err := resource.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"labels":{"partial":"yes"}}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	if err := expect(patched.Labels["partial"] == "yes", "the label, not %v", patched.Labels); err != nil {
		return err
	}
	list, err := resource.List(ctx, metav1.ListOptions{LabelSelector: "partial=yes"})
	if err != nil {
		return err
	}
	return expect(len(list.Items) == 1 && list.Items[0].Name == "one" && list.ResourceVersion != "", "a list of one, not %+v", list)
}
