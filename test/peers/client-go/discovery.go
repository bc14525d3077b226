package main

import (
	"context"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

var discoverySteps = []step{
	{"server version", serverVersion},
	{"discovery of groups and resources", discoverAll},
	{"RESTMapper over discovery", restMapper},
	{"OpenAPI v3 paths", openAPIPaths},
}

func serverVersion(_ context.Context, p *peer) error {
	version, err := p.typed.Discovery().ServerVersion()
	if err != nil {
		return err
	}
	return expect(version.Major == "1" && version.GitVersion != "", "a version, not %+v", version)
}

func discoverAll(_ context.Context, p *peer) error {
	groups, lists, err := p.typed.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	for _, wanted := range []string{"", "apps", "coordination.k8s.io", "events.k8s.io", "apiextensions.k8s.io"} {
		if !slices.ContainsFunc(groups, func(g *metav1.APIGroup) bool { return g.Name == wanted }) {
			return fmt.Errorf("no group %q", wanted)
		}
	}
	for _, wanted := range []schema.GroupVersionResource{
		{Version: "v1", Resource: "pods"}, {Version: "v1", Resource: "pods/status"}, {Group: "apps", Version: "v1", Resource: "deployments"},
	} {
		resources, err := discovery.GroupVersionResources(lists)
		if err != nil {
			return err
		}
		if _, there := resources[wanted]; !there {
			return fmt.Errorf("no resource %v", wanted)
		}
	}
	preferred, err := discovery.ServerPreferredResources(p.typed.Discovery())
	if err != nil {
		return err
	}
	watchable := discovery.FilteredBy(discovery.SupportsAllVerbs{Verbs: []string{"list", "watch"}}, preferred)
	return expect(len(watchable) > 0, "something to list and watch")
}

func restMapper(_ context.Context, p *peer) error {
	cached := memory.NewMemCacheClient(p.typed.Discovery())
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(cached)
	mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "apps", Kind: "Deployment"})
	if err != nil {
		return err
	}
	if err := expect(mapping.Resource.Resource == "deployments" && mapping.Scope.Name() == "namespace",
		"deployments in namespaces, not %v", mapping); err != nil {
		return err
	}
	if mapping, err = mapper.RESTMapping(schema.GroupKind{Kind: "Node"}, "v1"); err != nil {
		return err
	}
	if err := expect(mapping.Scope.Name() == "root", "nodes outside of namespaces"); err != nil {
		return err
	}
	kind, err := restmapper.NewShortcutExpander(mapper, cached, nil).KindFor(schema.GroupVersionResource{Resource: "cm"})
	if err != nil {
		return err
	}
	return expect(kind.Kind == "ConfigMap", "cm to be short for ConfigMap, not %v", kind)
}

func openAPIPaths(_ context.Context, p *peer) error {
	paths, err := p.typed.Discovery().OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	core, there := paths["api/v1"]
	if !there {
		return fmt.Errorf("no api/v1 among %d paths", len(paths))
	}
	document, err := core.Schema("application/json")
	if err != nil {
		return err
	}
	return expect(len(document) > 0, "a document")
}
