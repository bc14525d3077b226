#include "src/reflector/intake.h"

#include <utility>

#include "src/base/user_code.h"

namespace kinformer::internal {
namespace {

std::string TransformFailed(const Object& object, const std::string& what) {
  return "the transform failed on " + std::string(object.Kind()) + " \"" + ToString(object.Key()) + "\": " + what;
}

}  // namespace

Intake::Intake(IntakeOptions options)
    : options_(std::move(options)), expected_api_version_(options_.expected.ApiVersion()) {}

bool Intake::IsExpected(const Object* object, bool needs_name) const {
  std::string_view why;
  if (object == nullptr) {
    why = "no object";
  } else if (object->Kind() == "Table" && object->ApiVersion().starts_with("meta.k8s.io/")) {
    why = "a Table";
  } else if (!options_.expected.kind.empty() &&
             (object->Kind() != options_.expected.kind || object->ApiVersion() != expected_api_version_)) {
    why = "of another kind";
  } else if (needs_name && object->Name().empty()) {
    why = "without a name";
  } else if (needs_name && !options_.expected_namespace.empty() && object->Namespace() != options_.expected_namespace) {
    why = "of another namespace";
  } else {
    return true;
  }
  options_.logger.Warning("reflector", "skipped an unexpected object",
                          {{"reflector", options_.name},
                           {"why", std::string(why)},
                           {"kind", object != nullptr ? std::string(object->Kind()) : std::string()},
                           {"apiVersion", object != nullptr ? std::string(object->ApiVersion()) : std::string()},
                           {"name", object != nullptr ? ToString(object->Key()) : std::string()}});
  return false;
}

Result<ObjectPtr> Intake::Transformed(const ObjectPtr& object) const {
  if (!options_.transform) return object;
  Result<ObjectPtr> changed =
      ContainResult([&] { return options_.transform(object); },
                    [](std::string what) { return Error{.code = ErrorCode::kInternal, .message = std::move(what)}; });
  if (changed) return changed;
  Error error = std::move(changed).error();
  error.message = TransformFailed(*object, error.message);
  return error;
}

ObjectPtr Intake::Shared(ObjectPtr object) const {
  if (options_.known == nullptr) return object;
  ObjectPtr known = options_.known->Find(object->Namespace(), object->Name());
  const bool equal = known != nullptr && known->Uid() == object->Uid() &&
                     known->ResourceVersion() == object->ResourceVersion() &&
                     known->IsPartial() == object->IsPartial() && known->Json() == object->Json();
  return equal ? known : object;
}

TakenItems Intake::Items(std::vector<ObjectPtr> items) const {
  TakenItems taken;
  taken.objects.reserve(items.size());
  for (ObjectPtr& item : items) {
    if (!IsExpected(item.get(), true)) {
      ++taken.skipped;
      continue;
    }
    Result<ObjectPtr> changed = Transformed(item);
    item = nullptr;
    if (!changed) {
      taken.error = std::move(changed).error();
      return taken;
    }
    if (*changed) taken.objects.push_back(Shared(*std::move(changed)));
  }
  return taken;
}

std::vector<TakenEvent> Intake::Events(std::vector<WatchEvent> events, bool seeding) const {
  std::vector<TakenEvent> taken;
  taken.reserve(events.size());
  for (WatchEvent& event : events) {
    auto& [received, stored] = taken.emplace_back(TakenEvent{.received = std::move(event)});
    if (received.type == WatchEventType::kError) continue;
    const bool bookmark = received.type == WatchEventType::kBookmark;
    if (!IsExpected(received.object.get(), !bookmark)) {
      received.object = nullptr;
      continue;
    }
    if (bookmark) continue;
    stored = Transformed(received.object);
    if (seeding && received.type != WatchEventType::kDeleted && stored && *stored) stored = Shared(*std::move(stored));
  }
  return taken;
}

}  // namespace kinformer::internal
