#include "src/apiserver/protobuf/protobuf_decoder.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "src/apiserver/protobuf/json_values.h"
#include "src/apiserver/protobuf/tables.h"
#include "src/apiserver/protobuf/wire_reader.h"
#include "src/base/base64.h"

namespace kinformer::apiserver {
namespace protobuf {
namespace {

constexpr std::string_view kMagic{"k8s\0", 4};

/// One value of a field, as on the wire.
struct Occurrence {
  const Field* field = nullptr;
  std::uint64_t value = 0;
  std::string_view bytes{};
};

using Occurrences = std::span<const Occurrence>;

WireType WireTypeOf(const Field& field) {
  if (field.Is(kMap)) return WireType::kBytes;
  if (field.IsVarint()) return WireType::kVarint;
  return field.type == kDouble ? WireType::kFixed64 : WireType::kBytes;
}

bool IsZero(const Occurrence& occurrence) {
  if (occurrence.field->type == kString || occurrence.field->type == kBytes) return occurrence.bytes.empty();
  if (occurrence.field->type == kDouble) return std::bit_cast<double>(occurrence.value) == 0;
  return occurrence.value == 0;
}

/// The occurrences of one field number.
Occurrences Of(Occurrences all, std::uint64_t number) {
  const auto first = std::find_if(all.begin(), all.end(), [&](const auto& o) { return o.field->number == number; });
  const auto end = std::find_if(first, all.end(), [&](const auto& o) { return o.field->number != number; });
  return {first, end};
}

std::int64_t IntegerOf(Occurrences all, std::uint64_t number) {
  const Occurrences those = Of(all, number);
  return those.empty() ? 0 : static_cast<std::int64_t>(those.back().value);
}

std::string_view BytesOf(Occurrences all, std::uint64_t number) {
  const Occurrences those = Of(all, number);
  return those.empty() ? std::string_view() : those.back().bytes;
}

Error Malformed(std::string why) {
  return {.code = ErrorCode::kServer, .message = std::move(why), .http_status = 400, .reason = "BadRequest"};
}

/// Writes JSON; stops at the first error.
class Decoder {
 public:
  explicit Decoder(const ProtobufLimits& limits) : limits_(limits) {}

  bool WriteBody(const Message& message, std::string_view api_version, std::string_view kind, std::string_view raw) {
    out_ += R"({"apiVersion":)";
    AppendString(api_version, out_);
    out_ += R"(,"kind":)";
    AppendString(kind, out_);
    bool first = false;
    if (!WriteFields(message, raw, 1, first)) return false;
    out_ += '}';
    return true;
  }

  Error TakeError() { return std::move(error_); }
  std::string TakeText() { return std::move(out_); }

 private:
  bool Fail(std::string why) {
    error_ = Malformed(std::move(why));
    return false;
  }

  bool TooLarge(std::string why) {
    error_ = {
        .code = ErrorCode::kServer, .message = std::move(why), .http_status = 413, .reason = "RequestEntityTooLarge"};
    return false;
  }

  /// All values of a message, grouped by field, in wire order within a field.
  bool Collect(const Message& message, std::string_view bytes, std::vector<Occurrence>& out) {
    WireReader reader(bytes);
    WireField wire;
    bool sorted = true;
    while (reader.Next(wire)) {
      const Field* field = message.Find(wire.number);
      if (field == nullptr) continue;
      sorted = sorted && (out.empty() || out.back().field <= field);
      if (wire.type == WireTypeOf(*field)) {
        out.push_back({field, wire.value, wire.bytes});
      } else if (wire.type == WireType::kBytes && field->Is(kRepeated) && field->IsVarint()) {
        WireReader packed(wire.bytes);
        std::uint64_t value = 0;
        while (!packed.AtEnd()) {
          if (!packed.NextVarint(value)) return Fail(packed.error());
          out.push_back({field, value, {}});
        }
      } else {
        return Fail("proto: wrong wireType = " + std::to_string(static_cast<int>(wire.type)) + " for field " +
                    std::string(field->Name()));
      }
    }
    if (!reader.error().empty()) return Fail(reader.error());
    if (!sorted) {
      std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.field < b.field; });
    }
    return true;
  }

  /// `first`: no field has been written to the object yet.
  bool WriteFields(const Message& message, std::string_view bytes, std::size_t depth, bool& first) {
    std::vector<Occurrence> all;
    if (!Collect(message, bytes, all)) return false;
    const Occurrences view = all;
    for (std::size_t begin = 0; begin < view.size();) {
      const Field& field = *view[begin].field;
      std::size_t end = begin + 1;
      while (end < view.size() && view[end].field == &field) ++end;
      const Occurrences values = view.subspan(begin, end - begin);
      begin = end;
      if (field.Is(kInline)) {
        if (!Deeper(depth)) return false;
        std::string merged;
        if (!WriteFields(MessageOf(field), Merged(values, merged), depth + 1, first)) return false;
        continue;
      }
      if (!WriteField(field, values, depth, first)) return false;
      if (!WithinSize()) return false;
    }
    return true;
  }

  bool WriteField(const Field& field, Occurrences values, std::size_t depth, bool& first) {
    const bool single = !field.Is(kRepeated) && !field.Is(kMap);
    if (single && field.type != kMessage && !field.Is(kKeepZero) && IsZero(values.back())) return true;
    const std::size_t before = out_.size();
    if (!first) out_ += ',';
    AppendString(field.Name(), out_);
    out_ += ':';
    const std::size_t value = out_.size();
    if (field.Is(kMap)) {
      if (!WriteMap(field, values, depth)) return false;
    } else if (field.Is(kRepeated)) {
      if (!WriteList(values, depth)) return false;
    } else if (field.type == kMessage) {
      std::string merged;
      if (!WriteMessage(MessageOf(field), Merged(values, merged), depth)) return false;
      // An unset time, for example, counts as absent.
      const std::string_view written = std::string_view(out_).substr(value);
      if (written == "null" || (written == "{}" && field.Is(kOmitEmptyMessage))) {
        out_.resize(before);
        return true;
      }
    } else if (!WriteScalar(values.back())) {
      return false;
    }
    first = false;
    return true;
  }

  /// Repeated occurrences of a singular message are merged, which concatenating their bytes achieves.
  static std::string_view Merged(Occurrences values, std::string& room) {
    if (values.size() == 1) return values.front().bytes;
    for (const Occurrence& value : values) room += value.bytes;
    return room;
  }

  bool WriteList(Occurrences values, std::size_t depth) {
    out_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ',';
      if (!WriteValue(values[i], depth)) return false;
      if (!WithinSize()) return false;
    }
    out_ += ']';
    return true;
  }

  bool WriteMap(const Field& field, Occurrences entries, std::size_t depth) {
    // An entry without a value has the zero value.
    struct Entry {
      std::string_view key{};
      Occurrence value{};
    };
    std::vector<Entry> all;
    all.reserve(entries.size());
    Field value_field = field;
    value_field.flags = kKeepZero;
    for (const Occurrence& entry : entries) {
      Entry parsed{.value = {.field = &value_field}};
      WireReader reader(entry.bytes);
      WireField wire;
      while (reader.Next(wire)) {
        if (wire.number == 1 && wire.type == WireType::kBytes) {
          parsed.key = wire.bytes;
        } else if (wire.number == 2 && wire.type == WireTypeOf(value_field)) {
          parsed.value.value = wire.value;
          parsed.value.bytes = wire.bytes;
        } else if (wire.number == 1 || wire.number == 2) {
          return Fail("proto: wrong wireType = " + std::to_string(static_cast<int>(wire.type)) + " for field " +
                      std::string(field.Name()));
        }
      }
      if (!reader.error().empty()) return Fail(reader.error());
      all.push_back(parsed);
    }
    std::stable_sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    out_ += '{';
    bool first = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i + 1 < all.size() && all[i].key == all[i + 1].key) continue;
      if (!std::exchange(first, false)) out_ += ',';
      AppendString(all[i].key, out_);
      out_ += ':';
      if (!WriteValue(all[i].value, depth) || !WithinSize()) return false;
    }
    out_ += '}';
    return true;
  }

  bool WriteValue(const Occurrence& value, std::size_t depth) {
    return value.field->type == kMessage ? WriteMessage(MessageOf(*value.field), value.bytes, depth)
                                         : WriteScalar(value);
  }

  bool WriteScalar(const Occurrence& value) {
    switch (value.field->type) {
      case kString:
        AppendString(value.bytes, out_);
        return true;
      case kBytes:
        AppendString(internal::EncodeBase64(value.bytes), out_);
        return true;
      case kBool:
        out_ += value.value != 0 ? "true" : "false";
        return true;
      case kInt32:
        out_ += std::to_string(static_cast<std::int32_t>(value.value));
        return true;
      case kInt64:
        out_ += std::to_string(static_cast<std::int64_t>(value.value));
        return true;
      case kDouble:
        if (AppendDouble(std::bit_cast<double>(value.value), out_)) return true;
        return Fail("json: unsupported value in field " + std::string(value.field->Name()));
      case kMessage:
        break;
    }
    return Fail("proto: no scalar in field " + std::string(value.field->Name()));
  }

  bool WithinSize() {
    if (out_.size() <= limits_.max_json_bytes) return true;
    return TooLarge("the object is larger than " + std::to_string(limits_.max_json_bytes) + " bytes");
  }

  bool Deeper(std::size_t depth) {
    if (depth < limits_.max_depth) return true;
    return TooLarge("the object is nested deeper than " + std::to_string(limits_.max_depth) + " messages");
  }

  bool WriteMessage(const Message& message, std::string_view bytes, std::size_t depth) {
    if (!Deeper(depth)) return false;
    if (message.shape == kObject) {
      out_ += '{';
      bool first = true;
      if (!WriteFields(message, bytes, depth + 1, first)) return false;
      out_ += '}';
      return true;
    }
    std::vector<Occurrence> all;
    if (!Collect(message, bytes, all)) return false;
    return WriteShape(message, all, depth + 1);
  }

  /// Field numbers are those of the message type for each shape.
  bool WriteShape(const Message& message, Occurrences all, std::size_t depth) {
    switch (message.shape) {
      case kItems:
        return WriteList(all, depth);
      case kQuantity: {
        const std::string_view text = BytesOf(all, 1);
        AppendString(text.empty() ? "0" : text, out_);
        return true;
      }
      case kIntOrString:
        if (IntegerOf(all, 1) == 1) {
          AppendString(BytesOf(all, 3), out_);
        } else {
          out_ += std::to_string(static_cast<std::int32_t>(IntegerOf(all, 2)));
        }
        return true;
      case kTime:
      case kMicroTime:
        return WriteTime(message, all);
      case kDuration:
        AppendDuration(IntegerOf(all, 1), out_);
        return true;
      case kRawJson:
        return WriteRawJson(message, BytesOf(all, 1));
      case kSchemaOrArray:
        if (const Occurrences schemas = Of(all, 2); !schemas.empty()) return WriteList(schemas, depth);
        return WriteSchema(all, 1, "null", depth);
      case kSchemaOrBool:
        return WriteSchema(all, 2, IntegerOf(all, 1) != 0 ? "true" : "false", depth);
      case kSchemaOrStrings:
        if (const Occurrences strings = Of(all, 2); !strings.empty()) return WriteList(strings, depth);
        return WriteSchema(all, 1, "null", depth);
      case kObject:
        break;
    }
    return Fail("proto: no shape for " + std::string(message.Name()));
  }

  bool WriteTime(const Message& message, Occurrences all) {
    if (all.empty()) {
      out_ += "null";
      return true;
    }
    const bool micros = message.shape == kMicroTime;
    const auto nanos = micros ? static_cast<std::int32_t>(IntegerOf(all, 2)) : 0;
    if (AppendTime(IntegerOf(all, 1), nanos, micros, out_)) return true;
    return Fail(std::string(message.Name()) + " is out of range");
  }

  bool WriteRawJson(const Message& message, std::string_view raw) {
    if (raw.empty()) {
      out_ += "null";
      return true;
    }
    // The parser treats a NUL as the end and skips a byte order mark; neither may end up in the output.
    const bool plain = raw.find('\0') == std::string_view::npos && !raw.starts_with("\xEF\xBB\xBF");
    if (!plain || !nlohmann::json::accept(raw))
      return Fail("the content of a " + std::string(message.Name()) + " is not JSON");
    out_ += raw;
    return true;
  }

  bool WriteSchema(Occurrences all, std::uint64_t number, std::string_view otherwise, std::size_t depth) {
    const Occurrences schema = Of(all, number);
    if (schema.empty()) {
      out_ += otherwise;
      return true;
    }
    std::string merged;
    return WriteMessage(MessageOf(*schema.front().field), Merged(schema, merged), depth);
  }

  const ProtobufLimits& limits_;
  std::string out_;
  Error error_{};
};

/// runtime.Unknown.
struct Envelope {
  std::string_view api_version{};
  std::string_view kind{};
  std::string_view raw{};
  std::string_view content_encoding{};
};

Result<Envelope> ReadEnvelope(std::string_view bytes) {
  Envelope envelope;
  WireReader reader(bytes);
  WireField field;
  while (reader.Next(field)) {
    if (field.number > 4) continue;
    if (field.type != WireType::kBytes) return Malformed("proto: wrong wireType in Unknown");
    if (field.number == 1) {
      WireReader type_reader(field.bytes);
      WireField part;
      while (type_reader.Next(part)) {
        if (part.number == 1) envelope.api_version = part.bytes;
        if (part.number == 2) envelope.kind = part.bytes;
      }
      if (!type_reader.error().empty()) return Malformed(type_reader.error());
    } else if (field.number == 2) {
      envelope.raw = field.bytes;
    } else if (field.number == 3) {
      envelope.content_encoding = field.bytes;
    }
  }
  if (!reader.error().empty()) return Malformed(reader.error());
  return envelope;
}

}  // namespace
}  // namespace protobuf

Result<std::string> ProtobufToJson(std::string_view body, const ProtobufDefaults& defaults,
                                   const ProtobufLimits& limits) {
  using protobuf::Malformed;
  if (!body.starts_with(protobuf::kMagic)) {
    return Malformed("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  body.remove_prefix(protobuf::kMagic.size());
  if (body.empty()) return Malformed("empty body");
  const Result<protobuf::Envelope> envelope = protobuf::ReadEnvelope(body);
  if (!envelope) return envelope.error();
  if (!envelope->content_encoding.empty()) return Malformed("the content encoding of the object is not supported");
  const std::string_view api_version = envelope->api_version.empty() ? defaults.api_version : envelope->api_version;
  const std::string_view kind = envelope->kind.empty() ? defaults.kind : envelope->kind;
  const protobuf::Message* message = protobuf::FindKind(api_version, kind);
  if (message == nullptr) {
    return Error{.code = ErrorCode::kServer,
                 .message =
                     "the body of the request was in an unknown format - accepted media types include: "
                     "application/json",
                 .http_status = 415,
                 .reason = "UnsupportedMediaType"};
  }
  protobuf::Decoder decoder(limits);
  if (!decoder.WriteBody(*message, api_version, kind, envelope->raw)) return decoder.TakeError();
  return decoder.TakeText();
}

}  // namespace kinformer::apiserver
