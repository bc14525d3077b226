#include "src/codec/object_builder.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <system_error>

#include "src/base/block_cache.h"
#include "src/codec/json_explain.h"
#include "src/codec/json_text.h"
#include "src/codec/object_rep.h"

namespace kinformer {

using internal::IndexedPart;
using internal::MalformedAt;
using internal::MemberPosition;

namespace {

/// A smaller part is searched just as fast without an index.
constexpr std::size_t kMinIndexedBytes = 256;
/// Larger lists are freed, so that one object with very many labels does not keep memory forever.
constexpr std::size_t kMaxKept = 1024;

}  // namespace

/// An object and its representation in one allocation.
struct ObjectBuilder::Shared final : Object {
  Shared() : Object(rep) {}
  Rep rep;
};

ObjectBuilder::Lists& ObjectBuilder::ThreadLists() {
  thread_local Lists lists;
  const auto reuse = [](auto& list) {
    list.clear();
    if (list.capacity() > kMaxKept) list.shrink_to_fit();
  };
  reuse(lists.cuts);
  reuse(lists.labels);
  reuse(lists.owners);
  reuse(lists.finalizers);
  return lists;
}

ObjectBuilder::ObjectBuilder(std::string_view text, internal::JsonWalker& walker, const ObjectOptions& options,
                             std::size_t base)
    : text_(text),
      walker_(walker),
      options_(options),
      base_(base),
      cuts_(ThreadLists().cuts),
      labels_(ThreadLists().labels),
      owners_(ThreadLists().owners),
      finalizers_(ThreadLists().finalizers) {}

/// Calls on_member(key, inside, value, cut) for each member of the next object; it takes the value and sets value.end.
/// Members that it marks as cut are left out of the built text, with their commas.
template <typename OnMember>
bool ObjectBuilder::Members(OnMember&& on_member) {
  if (!walker_.Take('{')) return false;
  if (walker_.Take('}')) return true;
  bool kept_any = false;
  std::size_t comma_before = 0;
  std::string unescaped;
  for (;;) {
    const std::size_t begin = walker_.Position();
    Span inside;
    if (!walker_.String(inside) || !walker_.Take(':')) return false;
    std::string_view key = inside.In(text_);
    if (HasEscape(inside)) {
      unescaped = internal::Unescape(key);
      key = unescaped;
    }
    Span value{walker_.Position(), 0};
    bool cut = false;
    if (!on_member(key, inside, value, cut)) return false;
    const std::size_t comma = walker_.Position();
    const bool more = walker_.Take(',');
    if (!cut) {
      kept_any = true;
    } else if (kept_any) {
      cuts_.push_back({comma_before, value.end});
    } else {
      cuts_.push_back({begin, more ? comma + 1 : value.end});
    }
    if (!more) return walker_.Take('}');
    comma_before = comma;
  }
}

template <typename OnElement>
bool ObjectBuilder::Elements(OnElement&& on_element) {
  if (!walker_.Take('[')) return false;
  if (walker_.Take(']')) return true;
  for (;;) {
    if (!on_element()) return false;
    if (!walker_.Take(',')) return walker_.Take(']');
  }
}

bool ObjectBuilder::Read() {
  object_.begin = walker_.Position();
  if (walker_.Peek() != '{') return Fail("", "expected a JSON object");
  if (!Members(
          [this](std::string_view key, Span, Span& value, bool& cut) { return TopLevelMember(key, value, cut); })) {
    return false;
  }
  object_.end = walker_.LastEnd();
  if (!has_metadata_) {
    error_ = MalformedAt({object_.begin, {}, "object has no metadata"}, base_);
    return false;
  }
  return true;
}

bool ObjectBuilder::TopLevelMember(std::string_view key, Span& value, bool& cut) {
  if (key == "metadata") {
    if (walker_.Peek() != '{') return Fail("/metadata", "metadata is not an object");
    // The last of duplicates counts, as in a DOM.
    has_metadata_ = true;
    name_ = generate_name_ = namespace_ = uid_ = resource_version_ = std::nullopt;
    creation_timestamp_ = deletion_timestamp_ = annotations_ = std::nullopt;
    generation_ = 0;
    labels_.clear();
    owners_.clear();
    finalizers_.clear();
    return Members([this](std::string_view inner_key, Span, Span& inner_value, bool& inner_cut) {
      return MetadataMember(inner_key, inner_value, inner_cut);
    });
  }
  if (key == "kind") return TypeMember("/kind", kind_, value, cut);
  if (key == "apiVersion") return TypeMember("/apiVersion", api_version_, value, cut);
  if (key == "spec") return Part(spec_, value);
  if (key == "status") return Part(status_, value);
  return walker_.Value(1, value);
}

bool ObjectBuilder::Part(PartSpans& part, Span& value) {
  part.count = 0;
  part.has_escapes = false;
  if (walker_.Peek() == '{') {
    const bool read = Members([&](std::string_view, Span key, Span& member, bool&) {
      if (part.count < kMaxIndexed) part.members[part.count] = {key.begin, member.begin};
      ++part.count;
      part.has_escapes = part.has_escapes || HasEscape(key);
      return walker_.Value(2, member);
    });
    if (!read) return false;
    value.end = walker_.LastEnd();
  } else if (!walker_.Value(1, value)) {
    return false;
  }
  part.whole = value;
  if (part.count > kMaxIndexed || part.has_escapes || value.size() < kMinIndexedBytes) part.count = 0;
  return true;
}

bool ObjectBuilder::TypeMember(std::string_view path, std::optional<Span>& field, Span& value, bool& cut) {
  std::optional<Span> found;
  if (!StringField(path, found, value)) return false;
  // Null and "" count as absent. They are cut out of the text, so that they cannot hide the default that is inserted.
  if (!found || found->size() == 0) {
    cut = true;
  } else {
    field = found;
  }
  return true;
}

bool ObjectBuilder::MetadataMember(std::string_view key, Span& value, bool& cut) {
  switch (key.size()) {
    case 3:
      if (key == "uid") return StringField("/metadata/uid", uid_, value);
      break;
    case 4:
      if (key == "name") return StringField("/metadata/name", name_, value);
      break;
    case 6:
      if (key == "labels") return StringMapField("/metadata/labels", &labels_, value);
      break;
    case 9:
      if (key == "namespace") return StringField("/metadata/namespace", namespace_, value);
      break;
    case 10:
      if (key == "generation") return IntField("/metadata/generation", generation_, value);
      if (key == "finalizers") return Finalizers(value);
      break;
    case 11:
      if (key == "annotations") {
        annotations_.reset();
        if (!StringMapField("/metadata/annotations", nullptr, value)) return false;
        if (text_[value.begin] == '{') annotations_ = value;
        return true;
      }
      break;
    case 12:
      if (key == "generateName") return StringField("/metadata/generateName", generate_name_, value);
      break;
    case 13:
      if (key == "managedFields") {
        cut = !options_.keep_managed_fields;
        return walker_.Value(2, value);
      }
      break;
    case 15:
      if (key == "resourceVersion") return StringField("/metadata/resourceVersion", resource_version_, value);
      if (key == "ownerReferences") return OwnerReferences(value);
      break;
    case 17:
      if (key == "creationTimestamp") return StringField("/metadata/creationTimestamp", creation_timestamp_, value);
      if (key == "deletionTimestamp") return StringField("/metadata/deletionTimestamp", deletion_timestamp_, value);
      break;
    default:
      break;
  }
  return walker_.Value(2, value);
}

bool ObjectBuilder::TakeNull(Span& value) { return walker_.Peek() == 'n' && walker_.Value(0, value); }

bool ObjectBuilder::StringField(std::string_view path, std::optional<Span>& field, Span& value) {
  field.reset();
  if (walker_.Peek() == 'n') return TakeNull(value);
  Span inside;
  if (walker_.Peek() != '"') return Fail(path, "expected a string");
  if (!walker_.String(inside)) return false;
  value.end = inside.end + 1;
  field = inside;
  CountEscaped(inside);
  return true;
}

bool ObjectBuilder::BoolField(std::string_view path, bool& field, Span& value) {
  const char first = walker_.Peek();
  if (first != 't' && first != 'f' && first != 'n') return Fail(path, "expected true or false");
  field = first == 't';
  return walker_.Value(0, value);
}

bool ObjectBuilder::IntField(std::string_view path, std::int64_t& field, Span& value) {
  field = 0;
  if (walker_.Peek() == 'n') return TakeNull(value);
  const std::size_t begin = walker_.Position();
  if (const char first = walker_.Peek(); first != '-' && (first < '0' || first > '9')) {
    return Fail(path, "expected an integer");
  }
  if (!walker_.Value(0, value)) return false;
  const char* const end = text_.data() + value.end;
  const auto [stop, ec] = std::from_chars(text_.data() + begin, end, field);
  if (ec == std::errc() && stop == end) return true;
  error_ = MalformedAt({begin, std::string(path), "expected an integer"}, base_);
  return false;
}

bool ObjectBuilder::StringMapField(std::string_view path, std::vector<std::pair<Span, Span>>* entries, Span& value) {
  if (entries != nullptr) entries->clear();
  if (walker_.Peek() == 'n') return TakeNull(value);
  if (walker_.Peek() != '{') return Fail(path, "expected an object of strings");
  const bool read = Members([&](std::string_view key, Span inside, Span& member, bool&) {
    std::optional<Span> text;
    if (walker_.Peek() == 'n') {
      // Go reads null into a string as "".
      if (!TakeNull(member)) return false;
      text = Span{member.begin, member.begin};
    } else if (walker_.Peek() != '"') {
      return Fail(std::string(path) + "/" + internal::PrintableSnippet(key, 100), "expected a string");
    } else {
      Span value_inside;
      if (!walker_.String(value_inside)) return false;
      member.end = value_inside.end + 1;
      text = value_inside;
    }
    if (entries != nullptr) {
      entries->emplace_back(inside, *text);
      CountEscaped(inside);
      CountEscaped(*text);
    }
    return true;
  });
  if (!read) return false;
  value.end = walker_.LastEnd();
  return true;
}

bool ObjectBuilder::Finalizers(Span& value) {
  finalizers_.clear();
  if (walker_.Peek() == 'n') return TakeNull(value);
  if (walker_.Peek() != '[') return Fail("/metadata/finalizers", "expected an array of strings");
  const bool read = Elements([this] {
    Span inside;
    if (walker_.Peek() != '"') {
      return Fail("/metadata/finalizers/" + std::to_string(finalizers_.size()), "expected a string");
    }
    if (!walker_.String(inside)) return false;
    CountEscaped(inside);
    finalizers_.push_back(inside);
    return true;
  });
  if (!read) return false;
  value.end = walker_.LastEnd();
  return true;
}

bool ObjectBuilder::OwnerReferences(Span& value) {
  owners_.clear();
  if (walker_.Peek() == 'n') return TakeNull(value);
  if (walker_.Peek() != '[') return Fail("/metadata/ownerReferences", "expected an array of objects");
  const bool read = Elements([this] {
    in_owner_ = true;
    if (walker_.Peek() != '{') return Fail("", "expected an object");
    OwnerSpans owner;
    const bool owner_read = Members([&](std::string_view key, Span, Span& field, bool&) {
      if (key == "apiVersion") return StringField("/apiVersion", owner.api_version, field);
      if (key == "kind") return StringField("/kind", owner.kind, field);
      if (key == "name") return StringField("/name", owner.name, field);
      if (key == "uid") return StringField("/uid", owner.uid, field);
      if (key == "controller") return BoolField("/controller", owner.controller, field);
      if (key == "blockOwnerDeletion") return BoolField("/blockOwnerDeletion", owner.block_owner_deletion, field);
      return walker_.Value(4, field);
    });
    in_owner_ = false;
    if (owner_read) owners_.push_back(owner);
    return owner_read;
  });
  if (!read) return false;
  value.end = walker_.LastEnd();
  return true;
}

bool ObjectBuilder::Fail(std::string_view path, std::string_view what) {
  const std::size_t begin = walker_.Position();
  Span ignored;
  // If there is no valid value, the text is not JSON, which is the better error.
  if (!walker_.Value(0, ignored)) return false;
  std::string full;
  if (in_owner_) full = "/metadata/ownerReferences/" + std::to_string(owners_.size());
  error_ = MalformedAt({begin, full.append(path), std::string(what)}, base_);
  return false;
}

bool ObjectBuilder::HasEscape(Span span) const {
  return walker_.HasEscapes() && span.In(text_).find('\\') != std::string_view::npos;
}

void ObjectBuilder::CountEscaped(Span span) {
  if (HasEscape(span)) unescaped_bytes_ += span.size();
}

std::size_t ObjectBuilder::Mapped(std::size_t source) const {
  std::size_t target = source - object_.begin + inserted_;
  for (const Span& cut : cuts_) {
    if (cut.begin < source) target -= cut.size();
  }
  return target;
}

std::string_view ObjectBuilder::View(const std::optional<Span>& span, Object::Rep& rep) const {
  if (!span) return {};
  if (!HasEscape(*span)) return rep.text.substr(Mapped(span->begin), span->size());
  const std::size_t begin = rep.unescaped.size();
  internal::AppendUnescaped(span->In(text_), rep.unescaped);
  return std::string_view(rep.unescaped).substr(begin);
}

IndexedPart ObjectBuilder::PlacePart(const PartSpans& part, std::string_view text, MemberPosition*& room) const {
  if (!part.whole) return {};
  // Nothing is cut out of a part, so all of it has moved by the same amount.
  const std::size_t begin = Mapped(part.whole->begin);
  MemberPosition* const first = room;
  for (std::size_t i = 0; i < part.count; ++i) {
    const auto& [key, value] = part.members[i];
    *room++ = {static_cast<std::uint32_t>(begin + (key - part.whole->begin)),
               static_cast<std::uint32_t>(begin + (value - part.whole->begin))};
  }
  return {text.substr(begin, part.whole->size()), {first, part.count}};
}

ObjectPtr ObjectBuilder::Build() {
  const GroupVersionKind& fallback = options_.default_gvk;

  // Missing fields are inserted right after the opening brace.
  std::string head = "{";
  std::optional<Span> head_api_version;
  std::optional<Span> head_kind;
  const auto insert = [&head](std::string_view key, std::string_view value) {
    head.append(key);
    const std::size_t begin = head.size() + 1;
    internal::AppendQuoted(value, head);
    const Span inside{begin, head.size() - 1};
    head.push_back(',');
    return inside;
  };
  if (!api_version_ && !fallback.version.empty()) {
    head_api_version = insert("\"apiVersion\":", fallback.ApiVersion());
  }
  if (!kind_ && !fallback.kind.empty()) {
    head_kind = insert("\"kind\":", fallback.kind);
  }
  inserted_ = head.size() - 1;
  if (head.find('\\') != std::string::npos) unescaped_bytes_ += head.size();

  std::size_t size = inserted_ + object_.size();
  for (const Span& cut : cuts_) size -= cut.size();
  const std::size_t positions = (spec_.count + status_.count) * sizeof(MemberPosition);
  std::byte* behind = nullptr;
  const auto shared = std::allocate_shared<Shared>(internal::BlockAllocator<Shared>(positions + size, &behind));
  Object::Rep* const rep = &shared->rep;
  rep->block_bytes = internal::BlockBytes(sizeof(Shared) + positions + size);
  auto* const room = reinterpret_cast<MemberPosition*>(behind);
  char* const copy = reinterpret_cast<char*>(behind) + positions;
  char* end = copy;
  const auto append = [&end](std::string_view piece) { end = std::copy(piece.begin(), piece.end(), end); };
  append(head);
  std::size_t from = object_.begin + 1;
  for (const Span& cut : cuts_) {
    append(text_.substr(from, cut.begin - from));
    from = cut.end;
  }
  append(text_.substr(from, object_.end - from));
  const std::string_view text(copy, size);
  rep->text = text;

  if (unescaped_bytes_ != 0) rep->unescaped.reserve(unescaped_bytes_);
  const auto view = [&](const std::optional<Span>& span) { return View(span, *rep); };
  const auto view_head = [&](const Span& span) {
    const std::string_view inside = span.In(text);
    if (inside.find('\\') == std::string_view::npos) return inside;
    const std::size_t begin = rep->unescaped.size();
    internal::AppendUnescaped(inside, rep->unescaped);
    return std::string_view(rep->unescaped).substr(begin);
  };
  rep->api_version = head_api_version ? view_head(*head_api_version) : view(api_version_);
  rep->kind = head_kind ? view_head(*head_kind) : view(kind_);
  rep->name = view(name_);
  rep->generate_name = view(generate_name_);
  rep->namespace_name = view(namespace_);
  rep->uid = view(uid_);
  rep->resource_version = view(resource_version_);
  if (creation_timestamp_) rep->creation_timestamp = view(creation_timestamp_);
  if (deletion_timestamp_) rep->deletion_timestamp = view(deletion_timestamp_);
  rep->generation = generation_;
  if (annotations_) {
    rep->annotations = text.substr(Mapped(annotations_->begin), annotations_->size());
  }
  MemberPosition* free_room = room;
  rep->spec = PlacePart(spec_, text, free_room);
  rep->status = PlacePart(status_, text, free_room);
  if (!labels_.empty()) {
    std::vector<StringMap::Entry> labels;
    labels.reserve(labels_.size());
    for (const auto& [key, value] : labels_) labels.emplace_back(view(key), view(value));
    rep->labels = StringMap(std::move(labels));
  }
  rep->owner_references.reserve(owners_.size());
  for (const OwnerSpans& owner : owners_) {
    rep->owner_references.push_back({view(owner.api_version), view(owner.kind), view(owner.name), view(owner.uid),
                                     owner.controller, owner.block_owner_deletion});
  }
  rep->finalizers.reserve(finalizers_.size());
  for (const Span& finalizer : finalizers_) rep->finalizers.push_back(view(finalizer));
  rep->partial = options_.partial;
  return shared;
}

namespace internal {

Result<ObjectPtr> ParseObject(std::string_view text, const ObjectOptions& options, std::size_t base) {
  JsonWalker walker(text);
  if (!walker.Begin()) return MalformedJson(text, base);
  ObjectBuilder builder(text, walker, options, base);
  if (!builder.Read()) return builder.error() ? *builder.error() : MalformedJson(text, base);
  if (!walker.AtEnd()) return MalformedJson(text, base);
  return builder.Build();
}

}  // namespace internal
}  // namespace kinformer
