#ifndef KINFORMER_CLIENT_OBJECT_ARG_H_
#define KINFORMER_CLIENT_OBJECT_ARG_H_

#include <concepts>

#include <nlohmann/json_fwd.hpp>

#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/meta/names.h>
#include <kinformer/views/view.h>

namespace kinformer {

/// The object to write: an Object, an ObjectPtr, a typed view or JSON. A parameter type: it refers to its argument and
/// must not outlive the call.
class ObjectArg {
 public:
  ObjectArg(const Object& object) : object_(&object) {}  // NOLINT(google-explicit-constructor)
  /// Null is rejected with kInvalidArgument.
  ObjectArg(const ObjectPtr& object) : object_(object.get()) {}      // NOLINT(google-explicit-constructor)
  ObjectArg(const ViewBase& view) : object_(view.object().get()) {}  // NOLINT(google-explicit-constructor)
  /// The JSON must be an object with `metadata`. A missing apiVersion or kind defaults to the resource's.
  template <std::same_as<nlohmann::json> Json>
  ObjectArg(const Json& json) : json_(&json) {}  // NOLINT(google-explicit-constructor)

 private:
  friend class ResourceClient;
  /// kInvalidArgument if there is no valid object. The result refers to an Object argument without copying it.
  Result<ObjectPtr> Read(const GroupVersionKind& default_gvk) const;

  const Object* object_ = nullptr;
  const nlohmann::json* json_ = nullptr;
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_OBJECT_ARG_H_
