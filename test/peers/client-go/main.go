// Runs ordinary client-go code against the API server of KUBECONFIG: what a controller written in Go does, from typed
// writes to leader election. Prints "ok <what>" for each check that passes; the first failure ends the program with
// status 1 and the reason.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Time limit for any single wait.
const patience = 10 * time.Second

// peer is shared by all steps: the clients, and this run's own namespace.
type peer struct {
	typed     kubernetes.Interface
	dynamic   dynamic.Interface
	metadata  metadata.Interface
	namespace string
}

type step struct {
	what string
	run  func(context.Context, *peer) error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "client-go: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	p, err := connect()
	if err != nil {
		return err
	}
	namespace, err := p.typed.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "client-go-"}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("a namespace: %w", err)
	}
	p.namespace = namespace.Name
	for _, steps := range [][]step{
		discoverySteps, objectSteps, informerSteps, watchSteps, customSteps, applySteps, controllerSteps, endSteps,
	} {
		for _, s := range steps {
			if err := s.run(ctx, p); err != nil {
				return fmt.Errorf("%s: %w", s.what, err)
			}
			fmt.Println("ok", s.what)
		}
	}
	return nil
}

func connect() (*peer, error) {
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err != nil {
		return nil, err
	}
	// Disables client-side rate limiting, which would only slow down the many small requests.
	config.QPS = -1
	// Built-in kinds use protobuf, as in every controller built with controller-runtime.
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = runtime.ContentTypeProtobuf
	protobuf.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON

	p := &peer{}
	if p.typed, err = kubernetes.NewForConfig(protobuf); err != nil {
		return nil, err
	}
	if p.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if p.metadata, err = metadata.NewForConfig(metadata.ConfigFor(config)); err != nil {
		return nil, err
	}
	return p, nil
}

// await returns the next value of the channel.
func await[T any](ctx context.Context, values <-chan T, what string) (T, error) {
	var none T
	select {
	case value, open := <-values:
		if !open {
			return none, fmt.Errorf("%s: the channel was closed", what)
		}
		return value, nil
	case <-time.After(patience):
		return none, fmt.Errorf("%s: not within %v", what, patience)
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// until polls until a condition holds; an error ends it.
func until(ctx context.Context, what string, is func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		done, err := is(ctx)
		if errors.Is(err, context.DeadlineExceeded) || (err == nil && !done && ctx.Err() != nil) {
			return fmt.Errorf("%s: not within %v", what, patience)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if done {
			return nil
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// expect returns an error that describes the expectation unless it holds.
func expect(is bool, format string, arguments ...any) error {
	if is {
		return nil
	}
	return fmt.Errorf("expected "+format, arguments...)
}

// must returns an error unless err is of the given kind.
func must(err error, is func(error) bool, kind string) error {
	if err == nil {
		return fmt.Errorf("expected %s, but it worked", kind)
	}
	if !is(err) {
		return fmt.Errorf("expected %s, not: %w", kind, err)
	}
	return nil
}
