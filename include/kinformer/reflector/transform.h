#ifndef KINFORMER_REFLECTOR_TRANSFORM_H_
#define KINFORMER_REFLECTOR_TRANSFORM_H_

#include <functional>
#include <string>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer {

/// Modifies an object before it is stored; runs exactly once for each object that arrives. A null result drops the
/// object. An exception or returned error is reported as the informer's error.
using Transform = std::function<Result<ObjectPtr>(ObjectPtr)>;

/// A transform whose name identifies it: equal names mean equal transforms.
struct NamedTransform {
  std::string name{};
  Transform function{};
};

/// Modifies each request of an informer as the last step: page size, timeout, version. Equal names mean equal tweaks.
/// Runs on a pool thread; must not block.
struct NamedTweak {
  std::string name{};
  std::function<void(ListRequest&)> list{};
  std::function<void(WatchRequest&)> watch{};
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_TRANSFORM_H_
