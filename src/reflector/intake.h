#ifndef KINFORMER_SRC_REFLECTOR_INTAKE_H_
#define KINFORMER_SRC_REFLECTOR_INTAKE_H_

// In:     objects and events from the ListerWatcher
// Out:    the same, validated, transformed, and deduplicated against known objects
// Thread: the Reflector's task
// Next:   ReflectorState

#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/error.h>
#include <kinformer/base/logger.h>
#include <kinformer/base/result.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/transform.h>

#include "src/reflector/reflector_target.h"

namespace kinformer::internal {

/// An event after intake.
struct TakenEvent {
  /// Its object carries key and version. Null for an unexpected object, which must be skipped.
  WatchEvent received{};
  /// For kAdded, kModified and kDeleted: the transformed object, null if the transform dropped it, or its failure.
  Result<ObjectPtr> stored = ObjectPtr();
};

/// The items of one list part after intake.
struct TakenItems {
  std::vector<ObjectPtr> objects{};
  /// The number of unexpected objects.
  std::size_t skipped = 0;
  /// Set if the transform failed; `objects` then holds the items before the failure.
  std::optional<Error> error{};
};

struct IntakeOptions {
  std::string name{};
  GroupVersionKind expected{};
  /// Empty: objects of any namespace, and cluster-scoped ones.
  std::string expected_namespace{};
  Transform transform{};
  const KnownObjects* known = nullptr;
  Logger logger{};
};

/// Every object passes through here exactly once, so a transform runs once per object, whether listed or watched.
///
/// Skipped with a log line: objects of an unexpected kind or namespace, a Table (the format servers send to kubectl),
/// and objects without a name, except in bookmarks.
class Intake {
 public:
  explicit Intake(IntakeOptions options);

  TakenItems Items(std::vector<ObjectPtr> items) const;
  /// `seeding`: the events form a streaming list, so unchanged objects are replaced by the known ones.
  std::vector<TakenEvent> Events(std::vector<WatchEvent> events, bool seeding) const;

 private:
  bool IsExpected(const Object* object, bool needs_name) const;
  Result<ObjectPtr> Transformed(const ObjectPtr& object) const;
  /// Returns the known object if it is byte-identical, so that a relist does not hold everything twice.
  ObjectPtr Shared(ObjectPtr object) const;

  const IntakeOptions options_;
  const std::string expected_api_version_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_INTAKE_H_
