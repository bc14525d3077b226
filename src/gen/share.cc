#include "src/gen/share.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace kinformer::gen {
namespace {

/// Numbers structs: equal ones get the same.
class Classes {
 public:
  explicit Classes(const std::vector<StructModel>& structs) {
    for (const StructModel& model : structs) by_name_.emplace(model.name, &model);
  }

  std::size_t Of(const StructModel& model) {
    if (const auto known = class_of_.find(model.name); known != class_of_.end()) return known->second;
    // The lengths keep texts apart.
    std::string key;
    const auto add = [&key](const std::string& text) { key += std::to_string(text.size()) + ":" + text; };
    for (const MemberModel& member : model.members) {
      add(member.json_name);
      add(TypeKey(member.type));
      add(member.description);
      add(std::to_string(member.facts.size()));
      for (const std::string& fact : member.facts) add(fact);
    }
    // A kind is equal to nothing else.
    if (model.kind) add(model.name);
    const std::size_t number = numbers_.emplace(std::move(key), numbers_.size()).first->second;
    class_of_.emplace(model.name, number);
    return number;
  }

 private:
  std::string TypeKey(const TypeModel& type) {
    std::string key = std::to_string(static_cast<int>(type.shape));
    for (const TypeModel& element : type.element) key += "<" + TypeKey(element);
    if (type.shape != Shape::kStruct) return key;
    const auto own = by_name_.find(type.struct_name);
    if (type.package || own == by_name_.end()) return key + type.struct_name;
    return key + "#" + std::to_string(Of(*own->second));
  }

  std::map<std::string, const StructModel*> by_name_{};
  std::map<std::string, std::size_t> class_of_{};
  std::map<std::string, std::size_t> numbers_{};
};

void Rename(TypeModel& type, const std::map<std::string, std::string>& shared) {
  for (TypeModel& element : type.element) Rename(element, shared);
  if (type.shape != Shape::kStruct || type.package) return;
  if (const auto found = shared.find(type.struct_name); found != shared.end()) type.struct_name = found->second;
}

}  // namespace

void ShareEqualStructs(Package& package) {
  Classes classes(package.structs);
  std::map<std::size_t, std::vector<std::string>> members;
  for (const StructModel& model : package.structs) members[classes.Of(model)].push_back(model.name);

  std::map<std::string, std::string> shared;
  for (auto& [number, names] : members) {
    const std::string shortest = *std::min_element(names.begin(), names.end(), [](const auto& a, const auto& b) {
      return std::forward_as_tuple(a.size(), a) < std::forward_as_tuple(b.size(), b);
    });
    for (const std::string& name : names) {
      if (name != shortest) shared.emplace(name, shortest);
    }
  }
  std::erase_if(package.structs, [&](const StructModel& model) { return shared.contains(model.name); });
  for (StructModel& model : package.structs) {
    for (MemberModel& member : model.members) Rename(member.type, shared);
  }
  for (const auto& [name, target] : shared) package.aliases.push_back({.name = name, .target = target});
}

}  // namespace kinformer::gen
