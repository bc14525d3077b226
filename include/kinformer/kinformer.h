#ifndef KINFORMER_KINFORMER_H_
#define KINFORMER_KINFORMER_H_

// The public API in one header, except base/fake_clock.h, testing/ and apiserver/, which only tests and servers need.
// Beyond the standard library, it includes only nlohmann/json_fwd.hpp.

#include <kinformer/base/backoff.h>
#include <kinformer/base/clock.h>
#include <kinformer/base/error.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/base/secret.h>
#include <kinformer/base/try.h>
#include <kinformer/client/client.h>
#include <kinformer/client/discovery.h>
#include <kinformer/client/log_stream.h>
#include <kinformer/client/object_arg.h>
#include <kinformer/client/options.h>
#include <kinformer/client/resource_client.h>
#include <kinformer/client/retry_on_conflict.h>
#include <kinformer/client/selection.h>
#include <kinformer/client/typed_client.h>
#include <kinformer/client/watch_stream.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/object_list.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/config/config.h>
#include <kinformer/informer/informer_options.h>
#include <kinformer/informer/shared_informer.h>
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/meta/kind_info.h>
#include <kinformer/meta/list.h>
#include <kinformer/meta/names.h>
#include <kinformer/meta/selector.h>
#include <kinformer/meta/status_error.h>
#include <kinformer/meta/time.h>
#include <kinformer/meta/validation.h>
#include <kinformer/processor/event_handler.h>
#include <kinformer/processor/registration.h>
#include <kinformer/reflector/function_lister_watcher.h>
#include <kinformer/reflector/lister_watcher.h>
#include <kinformer/reflector/transform.h>
#include <kinformer/reflector/transforms.h>
#include <kinformer/store/index.h>
#include <kinformer/store/lister.h>
#include <kinformer/transport/tls_material.h>
#include <kinformer/transport/transport.h>
#include <kinformer/version.h>
#include <kinformer/views/apps_v1.h>
#include <kinformer/views/batch_v1.h>
#include <kinformer/views/coordination_v1.h>
#include <kinformer/views/core_v1.h>
#include <kinformer/views/lens.h>
#include <kinformer/views/metadata_of.h>
#include <kinformer/views/view.h>
#include <kinformer/watch/retry_watcher.h>
#include <kinformer/watch/until.h>
#include <kinformer/watch/wait_condition.h>
#include <kinformer/watch/wait_for.h>
#include <kinformer/watch/wait_limit.h>

#endif  // KINFORMER_KINFORMER_H_
