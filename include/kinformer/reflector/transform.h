#ifndef KINFORMER_REFLECTOR_TRANSFORM_H_
#define KINFORMER_REFLECTOR_TRANSFORM_H_

#include <functional>
#include <string>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/reflector/lister_watcher.h>

namespace kinformer {

/// Changes an object before it is stored; runs exactly once for each that arrives. A null result drops it. What it
/// throws or returns as an error is the informer's error.
using Transform = std::function<Result<ObjectPtr>(ObjectPtr)>;

/// A transform that can be told from others.
struct NamedTransform {
  std::string name{};
  Transform function{};
};

/// Has the last word on each request that an informer makes: a page size, a time limit, a version. Its name says
/// whether two are the same. Runs on a thread of the pool; must not block.
struct NamedTweak {
  std::string name{};
  std::function<void(ListRequest&)> list{};
  std::function<void(WatchRequest&)> watch{};
};

}  // namespace kinformer

#endif  // KINFORMER_REFLECTOR_TRANSFORM_H_
