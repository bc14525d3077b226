#include "src/apiserver/registry/json_reader.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "src/codec/json_explain.h"
#include "src/codec/json_walker.h"
#include "src/listwatch/storage/storage_errors.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// Reported duplicates are capped.
constexpr std::size_t kMaxDuplicates = 100;
/// How much of an unrecognized body the error shows.
constexpr std::size_t kShownBytes = 30;

/// Builds the value from SAX events, to record duplicate keys that a finished DOM no longer shows.
class Builder final : public json::json_sax_t {
 public:
  Builder(json& root, std::vector<std::string>& duplicates) : root_(root), duplicates_(duplicates) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(number_integer_t value) override { return Put(value); }
  bool number_unsigned(number_unsigned_t value) override { return Put(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return Put(value); }
  bool string(string_t& value) override { return Put(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override { return Open(json::object()); }
  bool start_array(std::size_t /*size*/) override { return Open(json::array()); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t /*at*/, const std::string& /*token*/, const json::exception& /*e*/) override {
    return false;
  }

  bool key(string_t& name) override {
    Level& level = open_.back();
    const auto [at, fresh] = level.value->get_ref<json::object_t&>().try_emplace(name);
    level.name = std::move(name);
    level.member = &at->second;
    if (!fresh && duplicates_.size() < kMaxDuplicates) duplicates_.push_back(Path());
    return true;
  }

 private:
  struct Level {
    json* value = nullptr;
    /// For an object, the member being read.
    json* member = nullptr;
    std::string name{};
  };

  json* Place(json&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Level& level = open_.back();
    if (level.value->is_array()) return &level.value->get_ref<json::array_t&>().emplace_back(std::move(value));
    *level.member = std::move(value);
    return level.member;
  }

  bool Put(json value) {
    Place(std::move(value));
    return true;
  }

  bool Open(json value) {
    json* place = Place(std::move(value));
    open_.push_back({.value = place});
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  std::string Path() const {
    std::string path;
    for (const Level& level : open_) {
      if (level.value->is_array()) {
        path += "[" + std::to_string(level.value->size() - 1) + "]";
      } else {
        path += (path.empty() ? "" : ".") + level.name;
      }
    }
    return path;
  }

  json& root_;
  std::vector<std::string>& duplicates_;
  std::vector<Level> open_;
};

}  // namespace

Result<json> ReadJson(std::string_view text, std::string_view what, std::vector<std::string>* duplicates) {
  if (!internal::IsValidJson(text)) {
    std::string why = internal::MalformedJson(text).message;
    if (why.starts_with("unexpected end of text")) why = "unexpected end of JSON input";
    return BadRequestError(std::string(what) + (what.empty() ? "" : ": ") + why);
  }
  json value;
  std::vector<std::string> unwanted;
  Builder builder(value, duplicates == nullptr ? unwanted : *duplicates);
  // Fails for a number that no double can represent.
  if (!json::sax_parse(text.begin(), text.end(), &builder)) {
    return BadRequestError(std::string(what) + ": a number is out of range");
  }
  return value;
}

Error Unrecognized(std::string_view body, std::string_view kind, std::string_view why) {
  std::string shown;
  for (const char c : body.substr(0, kShownBytes)) {
    if (body.front() == '{') {
      shown += c;
      continue;
    }
    for (const int digit : {static_cast<unsigned char>(c) >> 4, static_cast<unsigned char>(c) & 0xf}) {
      shown += "0123456789abcdef"[digit];
    }
  }
  if (body.empty()) shown = "<empty>";
  if (body.size() > kShownBytes) shown += " ...";
  return BadRequestError("the object provided is unrecognized (must be of type " + std::string(kind) +
                         "): " + std::string(why) + " (" + shown + ")");
}

Result<json> ReadTyped(std::string_view body, std::vector<std::string>* duplicates) {
  const auto unreadable = [](std::string_view why) {
    return BadRequestError("couldn't get version/kind; json parse error: " + std::string(why));
  };
  Result<json> object = ReadJson(body, "", duplicates);
  if (!object) return unreadable(object.error().message);
  if (object->is_null()) *object = json::object();
  const auto go_type = [](const json& value) { return value.is_boolean() ? "bool" : value.type_name(); };
  if (!object->is_object()) {
    return unreadable(
        std::string("json: cannot unmarshal ") + go_type(*object) +
        R"( into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string )"
        R"("json:\"kind,omitempty\"" })");
  }
  for (const char* member : {"apiVersion", "kind"}) {
    const auto found = object->find(member);
    if (found == object->end() || found->is_string() || found->is_null()) continue;
    return unreadable(std::string("json: cannot unmarshal ") + go_type(*found) + " into Go struct field ." + member +
                      " of type string");
  }
  if (const auto version = object->find("apiVersion"); version != object->end() && version->is_string()) {
    const auto& text = version->get_ref<const std::string&>();
    if (std::count(text.begin(), text.end(), '/') > 1) {
      return BadRequestError("unexpected GroupVersion string: " + text);
    }
  }
  return object;
}

Result<json> ReadObject(std::string_view body, std::string_view kind, std::vector<std::string>* duplicates) {
  Result<json> object = ReadTyped(body, duplicates);
  if (!object) return Unrecognized(body, kind, object.error().message);
  return object;
}

}  // namespace kinformer::apiserver
