#ifndef KINFORMER_SRC_REFLECTOR_INTAKE_H_
#define KINFORMER_SRC_REFLECTOR_INTAKE_H_

// In:     objects and events as they came from the ListerWatcher
// Out:    the same, checked, transformed, and shared with what is known already
// Thread: the Reflector's task
// Next:   ReflectorState

#include <optional>
#include <string>
#include <vector>

#include <kinformer/base/error.h>
#include <kinformer/base/logger.h>
#include <kinformer/codec/object.h>
#include <kinformer/codec/watch_event.h>
#include <kinformer/meta/names.h>
#include <kinformer/reflector/reflector_target.h>
#include <kinformer/reflector/transform.h>

namespace kinformer::internal {

/// An event after intake.
struct TakenEvent {
  WatchEventType type = WatchEventType::kAdded;
  /// What came, which names key and version; null for kError, and for what is not ours and must be passed over.
  ObjectPtr original{};
  /// What is stored; null if the transform dropped it or failed.
  ObjectPtr object{};
  /// For kError what the server said; else why the transform failed.
  std::optional<Error> error{};
};

/// The items of a part of a list after intake.
struct TakenItems {
  std::vector<ObjectPtr> objects{};
  /// How many were not ours.
  std::size_t skipped = 0;
  /// The transform failed; what came before it is in `objects`.
  std::optional<Error> error{};
};

struct IntakeOptions {
  std::string name{};
  GroupVersionKind expected{};
  /// Empty: objects of any namespace, or of none.
  std::string expected_namespace{};
  Transform transform{};
  const KnownObjects* known = nullptr;
  Logger logger{};
};

/// The one place through which every object passes, once: so a transform runs once per object, whichever way the
/// object came.
///
/// Skipped with a log line: another kind or namespace than expected, a Table (what a server sends to kubectl), and
/// objects without a name, except in bookmarks.
class Intake {
 public:
  explicit Intake(IntakeOptions options);

  TakenItems Items(std::vector<ObjectPtr> items) const;
  /// `seeding`: the events stand for a list, so objects that are known already are shared.
  std::vector<TakenEvent> Events(std::vector<WatchEvent> events, bool seeding) const;

 private:
  bool IsOurs(const Object* object, bool needs_name) const;
  Result<ObjectPtr> Transformed(const ObjectPtr& object) const;
  /// The known object if this one is its equal to the byte: a relist then does not hold everything twice.
  ObjectPtr Shared(ObjectPtr object) const;

  const IntakeOptions options_;
  const std::string expected_api_version_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_SRC_REFLECTOR_INTAKE_H_
