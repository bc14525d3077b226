#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <kinformer/api/json.h>
#include <kinformer/base/error.h>

#include "src/api/element.h"
#include "src/api/raw_json_access.h"
#include "src/api/rest_access.h"
#include "src/codec/json_explain.h"
#include "src/codec/json_text.h"
#include "src/codec/json_walker.h"

namespace kinformer::api::internal {
namespace {

using kinformer::internal::JsonWalker;
using kinformer::internal::kMaxJsonDepth;
using kinformer::internal::Span;

/// What became of a value. Except for kFailed it was consumed, also if it does not fit.
enum class Fit { kFits, kMisfit, kFailed };

std::string_view Describe(Kind kind) {
  switch (kind) {
    case Kind::kInt:
      return "an integer of 64 bits";
    case Kind::kDouble:
      return "a number";
    case Kind::kBool:
      return "true or false";
    case Kind::kQuantity:
      return "a quantity";
    case Kind::kIntOrString:
      return "an integer or a string";
    case Kind::kStruct:
    case Kind::kPart:
    case Kind::kMap:
      return "an object";
    case Kind::kList:
      return "an array";
    default:
      return "a string";
  }
}

/// Leaves `value` as it is if it returns false, as ParseDouble does: from_chars accepts the "1" of "1.5".
bool ParseInt(std::string_view text, std::int64_t& value) {
  std::int64_t parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

/// False for an integer that a double cannot express exactly: another reader would see another number.
bool ParseDouble(std::string_view text, double& value) {
  double parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::abs(parsed) >= kExact && text.find_first_of(".eE") == std::string_view::npos) return false;
  value = parsed;
  return true;
}

class Reader {
 public:
  Reader(std::string_view text, Unknown unknown)
      : text_(text), walker_(text), is_strict_(unknown == Unknown::kReported) {}

  Result<void> Root(const Type& type, void* value) {
    if (!walker_.Begin()) return kinformer::internal::MalformedJson(text_);
    const Fit fit = type.kind == Kind::kStruct ? Struct(type, value, 0, /*is_root=*/true) : Element(type, value, 0);
    if (!error_.message.empty()) return error_;
    if (fit == Fit::kFailed || !walker_.AtEnd()) return kinformer::internal::MalformedJson(text_);
    if (fit == Fit::kMisfit && !is_strict_) {
      return Error{.code = ErrorCode::kInvalidArgument,
                   .message = "cannot decode" + NameOf(type) + ": the JSON is not " + std::string(Describe(type.kind)) +
                              (type.kind == Kind::kStruct ? "" : " of such elements")};
    }
    if (!causes_.empty()) return StrictError(type);
    return {};
  }

 private:
  static std::string NameOf(const Type& type) {
    if (type.kind_name.kind.empty()) return "";
    return " a " + std::string(type.kind_name.kind) + " of " + std::string(type.kind_name.api_version);
  }

  static std::string Where(const ErrorCause& cause) { return cause.field.empty() ? "the JSON " : cause.field + ": "; }

  Error StrictError(const Type& type) {
    Error error{.code = ErrorCode::kInvalidArgument,
                .message = "decoding" + NameOf(type) + ": " + Where(causes_.front()) + causes_.front().message};
    if (causes_.size() > 1) error.message += ", and " + std::to_string(causes_.size() - 1) + " more";
    error.details.causes = std::move(causes_);
    return error;
  }

  /// Takes a value that has no place.
  Fit Skip(std::size_t depth, Span& span) {
    if (!walker_.Value(depth, span)) return Fit::kFailed;
    end_ = span.end;
    return Fit::kMisfit;
  }
  Fit Misfit(Kind wanted, std::size_t depth) {
    Span span;
    const Fit fit = Skip(depth, span);
    if (fit == Fit::kMisfit) Report("FieldValueTypeInvalid", "is not ", Describe(wanted));
    return fit;
  }

  void Report(std::string_view reason, std::string_view what, std::string_view more = {}) {
    if (is_strict_) {
      causes_.push_back(
          {.reason = std::string(reason), .message = std::string(what) + std::string(more), .field = path_});
    }
  }
  template <typename T>
  void RequireValid(bool is_valid, const T& text, std::string_view what) {
    if (!is_valid) Report("FieldValueInvalid", "\"" + text + "\" is not ", what);
  }

  /// Extends the path of reports while it lives.
  class Step {
   public:
    Step(Reader& reader, std::string_view name) : reader_(reader), size_(reader.path_.size()) {
      if (reader.is_strict_) Extend(name);
    }
    Step(Reader& reader, std::size_t index) : reader_(reader), size_(reader.path_.size()) {
      if (reader.is_strict_) Extend(std::to_string(index));
    }
    ~Step() {
      if (reader_.is_strict_) reader_.path_.resize(size_);
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    void Extend(std::string_view name) {
      reader_.path_ += '/';
      for (const char c : name) {
        if (c == '~') {
          reader_.path_ += "~0";
        } else if (c == '/') {
          reader_.path_ += "~1";
        } else {
          reader_.path_ += c;
        }
      }
    }

    Reader& reader_;
    const std::size_t size_;
  };

  /// A string's contents; `scratch` holds them if they had to be unescaped.
  std::string_view Unescaped(std::string_view raw, std::string& scratch) const {
    if (!walker_.HasEscapes() || raw.find('\\') == std::string_view::npos) return raw;
    scratch = kinformer::internal::Unescape(raw);
    return scratch;
  }

  /// Reads the members of an object. `member(raw_name)` must consume the value.
  template <typename Function>
  Fit Members(std::size_t depth, Function&& member) {
    if (depth >= kMaxJsonDepth || !walker_.Take('{')) return Fit::kFailed;
    if (walker_.Take('}')) {
      end_ = walker_.LastEnd();
      return Fit::kFits;
    }
    do {
      Span raw_name;
      if (!walker_.String(raw_name) || !walker_.Take(':')) return Fit::kFailed;
      if (member(raw_name.In(text_)) == Fit::kFailed) return Fit::kFailed;
    } while (walker_.Take(','));
    if (!walker_.Take('}')) return Fit::kFailed;
    end_ = walker_.LastEnd();
    return Fit::kFits;
  }

  Fit Struct(const Type& type, void* object, std::size_t depth, bool is_root) {
    if (walker_.Peek() != '{') return Misfit(Kind::kStruct, depth);
    const bool has_kind = !type.kind_name.kind.empty();
    const Fit fit = Members(depth, [&](std::string_view raw_name) {
      // The tables' names have no escapes, so most names need not be unescaped.
      const Member* const member = FindMember(type, raw_name);
      if (member != nullptr) return StructMember(type, object, member, raw_name, raw_name, depth + 1);
      std::string scratch;
      const std::string_view name = Unescaped(raw_name, scratch);
      if (has_kind && (name == "apiVersion" || name == "kind")) {
        Rest* const keep = is_root ? nullptr : &RestOf(type, object);
        return CheckKind(type, name == "kind" ? type.kind_name.kind : type.kind_name.api_version, name, depth + 1,
                         keep);
      }
      return StructMember(type, object, FindMember(type, name), name, raw_name, depth + 1);
    });
    if (fit == Fit::kFits) ResolveRepeated(type, object);
    return fit;
  }

  /// The last of equal names wins, as in other readers. Once per object, so that reading stays linear.
  static void ResolveRepeated(const Type& type, void* object) {
    Rest& rest = RestOf(type, object);
    if (rest.empty()) return;
    std::size_t all = 0;
    auto entries = EntriesOf(rest, [&](std::string_view name) {
      ++all;
      // A value that does not fit unsets its member, so one that is set came last.
      const Member* const member = FindMember(type, name);
      return member != nullptr && IsSet(*member, At(object, member->offset));
    });
    KeepLast(entries);
    if (entries.size() == all) return;
    std::string text;
    for (const RestEntry& entry : entries) {
      if (!text.empty()) text.push_back(',');
      text.append(entry.member);
    }
    RestAccess::Replace(rest, std::move(text));
  }

  /// `keep`: where it is kept. Inside of others, kinds come with and without apiVersion and kind, and are written back
  /// as they came; nullptr for the root, which always writes its own.
  Fit CheckKind(const Type& type, std::string_view wanted, std::string_view name, std::size_t depth, Rest* keep) {
    const std::size_t begin = walker_.Position();
    Span value;
    if (!walker_.Value(depth, value)) return Fit::kFailed;
    const std::string_view raw = value.In(text_);
    const bool is_text = raw.front() == '"';
    if (is_text && kinformer::internal::KeyEquals(raw.substr(1, raw.size() - 2), wanted)) {
      if (keep != nullptr) RestAccess::Add(*keep, name, raw);
      return Fit::kFits;
    }
    error_ = {.code = ErrorCode::kInvalidArgument,
              .message = "cannot decode" + NameOf(type) + ": its " + std::string(name) + " is " +
                         kinformer::internal::PrintableSnippet(raw, 100)};
    if (keep != nullptr) error_.message += " (at byte " + std::to_string(begin) + ")";
    return Fit::kFailed;
  }

  /// `member`: nullptr for an unknown name.
  Fit StructMember(const Type& type, void* object, const Member* member, std::string_view name,
                   std::string_view raw_name, std::size_t depth) {
    const std::size_t begin = walker_.Position();
    Fit fit = Fit::kMisfit;
    const Step step(*this, name);
    if (member != nullptr) {
      fit = MemberValue(*member, At(object, member->offset), depth);
    } else {
      Span span;
      fit = Skip(depth, span);
      if (fit == Fit::kMisfit) Report("FieldValueUnknown", "is not a known field");
    }
    if (fit == Fit::kMisfit) RestAccess::Add(RestOf(type, object), raw_name, text_.substr(begin, end_ - begin));
    return fit;
  }

  Fit MemberValue(const Member& member, void* at, std::size_t depth) {
    const bool is_null = walker_.Peek() == 'n';
    switch (member.kind) {
      case Kind::kStruct:
        return PlainStruct(*member.type, at, depth, is_null);
      case Kind::kPart: {
        auto& part = *static_cast<PartData*>(at);
        part.Reset(*member.type);
        if (is_null) return TakeNull(part.state);
        if (walker_.Peek() != '{') return Misfit(Kind::kPart, depth);
        part.state = State::kValue;
        return Struct(*member.type, part.Make(*member.type), depth, /*is_root=*/false);
      }
      case Kind::kList: {
        auto& list = *static_cast<ListData*>(at);
        list.Reset(*member.type);
        return is_null ? TakeNull(list.state) : Elements(*member.type, list, depth);
      }
      case Kind::kMap: {
        auto& map = *static_cast<MapData*>(at);
        map.Reset(*member.type);
        return is_null ? TakeNull(map.state) : Entries(*member.type, map, depth);
      }
      case Kind::kText:
        return FieldValue<std::string>(*static_cast<FieldData<std::string>*>(at), depth, is_null);
      default:
        return WithScalar(member.kind, [&]<typename T>(Scalar<T>) {
          return FieldValue<T>(*static_cast<FieldData<T>*>(at), depth, is_null);
        });
    }
  }

  /// A plain struct cannot be null, nor present and empty: both are kept in the rest.
  Fit PlainStruct(const Type& type, void* object, std::size_t depth, bool is_null) {
    if (!IsEmpty(type, object)) {
      type.destroy(object);
      type.construct(object);
    }
    if (is_null) {
      Span span;
      return Skip(depth, span);
    }
    const Fit fit = Struct(type, object, depth, /*is_root=*/false);
    return fit == Fit::kFits && IsEmpty(type, object) ? Fit::kMisfit : fit;
  }

  Fit TakeNull(State& state) {
    Span null;
    if (!walker_.Value(0, null)) return Fit::kFailed;
    state = State::kNull;
    return Fit::kFits;
  }

  template <typename T>
  Fit FieldValue(FieldData<T>& field, std::size_t depth, bool is_null) {
    if (field.state != State::kAbsent) field = {};
    if (is_null) return TakeNull(field.state);
    Fit fit = Fit::kFits;
    if constexpr (std::same_as<T, std::string>) {
      fit = Read(field.value.value, depth);
    } else {
      fit = Read(field.value, depth);
    }
    if (fit == Fit::kFits) field.state = State::kValue;
    return fit;
  }

  Fit Element(const Type& type, void* value, std::size_t depth) {
    switch (type.kind) {
      case Kind::kStruct:
        return Struct(type, value, depth, /*is_root=*/false);
      case Kind::kList:
        return Elements(*type.element, *static_cast<ListData*>(value), depth);
      case Kind::kMap:
        return Entries(*type.element, *static_cast<MapData*>(value), depth);
      default:
        return WithScalar(type.kind, [&]<typename T>(Scalar<T>) { return Read(*static_cast<T*>(value), depth); });
    }
  }

  /// All elements or none: a list with one that does not fit is consumed and left absent.
  Fit Elements(const Type& element, ListData& list, std::size_t depth) {
    if (walker_.Peek() != '[') return Misfit(Kind::kList, depth);
    if (depth >= kMaxJsonDepth || !walker_.Take('[')) return Fit::kFailed;
    list.state = State::kValue;
    Fit fit = Fit::kFits;
    if (!walker_.Take(']')) {
      std::size_t index = 0;
      do {
        const Step step(*this, index++);
        const Fit one = ReadsOn(fit) ? Element(element, list.Append(element), depth + 1) : SkipOne(depth + 1);
        if (one == Fit::kFailed) return Fit::kFailed;
        if (one == Fit::kMisfit) fit = Fit::kMisfit;
      } while (walker_.Take(','));
      if (!walker_.Take(']')) return Fit::kFailed;
    }
    end_ = walker_.LastEnd();
    if (fit == Fit::kMisfit) list.Reset(element);
    return fit;
  }

  /// As Elements.
  Fit Entries(const Type& value, MapData& map, std::size_t depth) {
    if (walker_.Peek() != '{') return Misfit(Kind::kMap, depth);
    map.state = State::kValue;
    Fit fit = Fit::kFits;
    std::string scratch;
    const Fit all = Members(depth, [&](std::string_view raw_name) {
      const std::string_view name = Unescaped(raw_name, scratch);
      const Step step(*this, name);
      const Fit one = ReadsOn(fit) ? Element(value, map.Append(value, name), depth + 1) : SkipOne(depth + 1);
      if (one == Fit::kMisfit) fit = Fit::kMisfit;
      return one;
    });
    if (all == Fit::kFailed) return all;
    if (fit == Fit::kMisfit) {
      map.Reset(value);
    } else {
      map.Sort(value);
    }
    return fit;
  }

  /// After an element that does not fit, the others are read only for their reports.
  bool ReadsOn(Fit so_far) const { return so_far == Fit::kFits || is_strict_; }

  Fit SkipOne(std::size_t depth) {
    Span span;
    return Skip(depth, span);
  }

  /// Takes a string into `text`.
  template <typename Function>
  Fit TakeText(std::size_t depth, Function&& store) {
    if (walker_.Peek() != '"') return Misfit(Kind::kText, depth);
    Span inside;
    if (!walker_.String(inside)) return Fit::kFailed;
    std::string scratch;
    store(Unescaped(inside.In(text_), scratch));
    return Fit::kFits;
  }

  /// Takes a number or literal into `store(text)`; what it returns false for does not fit.
  template <typename Function>
  Fit TakeLiteral(Kind wanted, std::size_t depth, Function&& store) {
    Span span;
    if (const Fit fit = Skip(depth, span); fit == Fit::kFailed) return fit;
    if (store(span.In(text_))) return Fit::kFits;
    Report("FieldValueTypeInvalid", "is not ", Describe(wanted));
    return Fit::kMisfit;
  }

  Fit Read(std::string& value, std::size_t depth) {
    if (walker_.Peek() != '"') return Misfit(Kind::kText, depth);
    Span inside;
    if (!walker_.String(inside)) return Fit::kFailed;
    const std::string_view raw = inside.In(text_);
    if (!walker_.HasEscapes() || raw.find('\\') == std::string_view::npos) {
      value.assign(raw);
    } else {
      value.clear();
      kinformer::internal::AppendUnescaped(raw, value);
    }
    return Fit::kFits;
  }
  Fit Read(std::int64_t& value, std::size_t depth) {
    return TakeLiteral(Kind::kInt, depth, [&](std::string_view text) { return ParseInt(text, value); });
  }
  Fit Read(double& value, std::size_t depth) {
    return TakeLiteral(Kind::kDouble, depth, [&](std::string_view text) { return ParseDouble(text, value); });
  }
  Fit Read(bool& value, std::size_t depth) {
    return TakeLiteral(Kind::kBool, depth, [&](std::string_view text) {
      value = text == "true";
      return value || text == "false";
    });
  }
  Fit Read(Time& value, std::size_t depth) {
    const Fit fit = TakeText(depth, [&](std::string_view text) { value = Time(text); });
    if (is_strict_ && fit == Fit::kFits)
      RequireValid(value.ToTimestamp().has_value(), value.text(), "a time (RFC 3339)");
    return fit;
  }
  Fit Read(MicroTime& value, std::size_t depth) {
    const Fit fit = TakeText(depth, [&](std::string_view text) { value = MicroTime(text); });
    if (is_strict_ && fit == Fit::kFits)
      RequireValid(value.ToTimestamp().has_value(), value.text(), "a time (RFC 3339)");
    return fit;
  }
  Fit Read(Duration& value, std::size_t depth) {
    const Fit fit = TakeText(depth, [&](std::string_view text) { value = Duration(text); });
    if (is_strict_ && fit == Fit::kFits) RequireValid(value.ToNanoseconds().has_value(), value.text(), "a duration");
    return fit;
  }
  Fit Read(Bytes& value, std::size_t depth) {
    const Fit fit = TakeText(depth, [&](std::string_view text) { value = Bytes::FromBase64(text); });
    // Does not quote it: it may be a secret.
    if (is_strict_ && fit == Fit::kFits && !value.Data()) Report("FieldValueInvalid", "is not base64");
    return fit;
  }
  Fit Read(Quantity& value, std::size_t depth) {
    Fit fit = Fit::kFits;
    if (walker_.Peek() == '"') {
      fit = TakeText(depth, [&](std::string_view text) { value = Quantity(text); });
    } else {
      fit = TakeLiteral(Kind::kQuantity, depth, [&](std::string_view text) {
        if (text.front() != '-' && (text.front() < '0' || text.front() > '9')) return false;
        value = Quantity::FromNumber(text);
        return true;
      });
    }
    if (is_strict_ && fit == Fit::kFits) RequireValid(value.IsValid(), value.text(), "a quantity");
    return fit;
  }
  Fit Read(IntOrString& value, std::size_t depth) {
    if (walker_.Peek() == '"') {
      return TakeText(depth, [&](std::string_view text) { value = IntOrString(text); });
    }
    return TakeLiteral(Kind::kIntOrString, depth, [&](std::string_view text) {
      std::int64_t number = 0;
      if (!ParseInt(text, number)) return false;
      value = IntOrString(number);
      return true;
    });
  }
  Fit Read(RawJson& value, std::size_t depth) {
    Span span;
    if (Skip(depth, span) == Fit::kFailed) return Fit::kFailed;
    value = RawJsonAccess::FromValid(span.In(text_));
    return Fit::kFits;
  }

  const std::string_view text_;
  JsonWalker walker_;
  const bool is_strict_;
  /// The end of the value that was taken last, if that was not a string or a null.
  std::size_t end_ = 0;
  std::string path_;
  std::vector<ErrorCause> causes_;
  Error error_{};
};

}  // namespace

Result<void> Read(const Type& type, void* value, std::string_view json, Unknown unknown) {
  return Reader(json, unknown).Root(type, value);
}

}  // namespace kinformer::api::internal
