// Random writes, checked against a trivially simple model.

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/store/indexer.h"
#include "test/store/store_test_objects.h"

namespace kinformer {
namespace {

using testing::ByNode;
using testing::ByParts;
using testing::Erase;
using testing::MakePod;
using testing::Set;

class Model {
 public:
  using Key = std::pair<std::string, std::string>;

  /// Returns the previous state.
  ObjectPtr Apply(const internal::Delta& delta) {
    const Key key(delta.object->Namespace(), delta.object->Name());
    if (!delta.object->ResourceVersion().empty()) version = delta.object->ResourceVersion();
    ObjectPtr previous;
    if (const auto it = objects.find(key); it != objects.end()) previous = it->second;
    if (Removes(delta)) {
      objects.erase(key);
    } else {
      objects[key] = delta.object;
    }
    return previous;
  }

  std::map<std::string, std::set<const Object*>> By(const IndexFunction& function) const {
    std::map<std::string, std::set<const Object*>> found;
    for (const auto& [key, object] : objects) {
      for (const std::string& value : function(object)) found[value].insert(object.get());
    }
    return found;
  }

  std::map<Key, ObjectPtr> objects;
  std::string version;
};

class IndexerModelTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  int Below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }

  ObjectPtr RandomPod() {
    std::string node;
    for (int parts = Below(4); parts > 0; --parts) {
      if (!node.empty()) node += ',';
      node += "v" + std::to_string(Below(6));
    }
    const std::string version = Below(10) == 0 ? "" : std::to_string(++version_);
    return MakePod({.namespace_name = Below(8) == 0 ? "" : "ns-" + std::to_string(Below(4)),
                    .name = "pod-with-a-long-name-" + std::to_string(Below(60)),
                    .node = node,
                    .version = version,
                    .uid = "uid-" + std::to_string(Below(3))});
  }

  void ApplySome() {
    std::vector<internal::Delta> deltas;
    for (int count = Below(8); count > 0; --count) {
      deltas.push_back(Below(5) < 2 ? Erase(RandomPod()) : Set(RandomPod()));
    }
    const auto previous = indexer_.Apply(deltas).value();
    ASSERT_EQ(previous.size(), deltas.size());
    for (std::size_t i = 0; i < deltas.size(); ++i) ASSERT_EQ(previous[i], model_.Apply(deltas[i]));
  }

  /// Applying the reported removals, then the objects, to the old content must give the new content.
  void ReplaceAll() {
    std::vector<ObjectPtr> objects;
    for (int count = Below(120); count > 0; --count) objects.push_back(RandomPod());
    for (const auto& [key, object] : model_.objects) {
      if (Below(2) == 0) objects.push_back(object);
    }
    std::shuffle(objects.begin(), objects.end(), random_);
    const auto replaced = indexer_.Replace(objects, std::to_string(++version_)).value();

    Model after;
    for (const ObjectPtr& object : objects) after.Apply(Set(object));
    after.version = std::to_string(version_);
    Model played = model_;
    for (const ObjectPtr& object : replaced.removed) ASSERT_EQ(played.Apply(Erase(object)), object);
    ASSERT_EQ(replaced.previous.size(), replaced.objects.size());
    for (std::size_t i = 0; i < replaced.objects.size(); ++i) {
      const ObjectPtr& previous = replaced.previous[i];
      ASSERT_EQ(played.Apply(Set(replaced.objects[i])), previous);
      if (previous != nullptr) {
        ASSERT_EQ(previous->Uid(), replaced.objects[i]->Uid());
      }
    }
    ASSERT_EQ(played.objects, after.objects);
    std::vector<ObjectPtr> expected;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const Model::Key key(objects[i]->Namespace(), objects[i]->Name());
      bool last = true;
      for (std::size_t j = i + 1; j < objects.size(); ++j) {
        last = last && (objects[j]->Namespace() != key.first || objects[j]->Name() != key.second);
      }
      if (last) expected.push_back(objects[i]);
    }
    ASSERT_EQ(replaced.objects, expected);
    model_ = after;
  }

  static std::set<const Object*> Unique(const std::vector<ObjectPtr>& objects) {
    std::set<const Object*> unique;
    for (const ObjectPtr& object : objects) EXPECT_TRUE(unique.insert(object.get()).second) << "listed twice";
    return unique;
  }

  void ExpectSame() {
    ASSERT_EQ(indexer_.Size(), model_.objects.size());
    ASSERT_EQ(indexer_.ResourceVersion(), model_.version);
    std::set<const Object*> all;
    for (const auto& [key, object] : model_.objects) {
      ASSERT_EQ(indexer_.Get(key.first, key.second), object);
      all.insert(object.get());
    }
    ASSERT_EQ(Unique(indexer_.List()), all);
  }

  void ExpectSameIndices() {
    for (const auto& [name, function] : functions_) {
      std::map<std::string, std::set<const Object*>> found;
      const std::vector<std::string> values = indexer_.IndexValues(name).value();
      for (const std::string& value : values) found[value] = Unique(indexer_.ByIndex(name, value).value());
      ASSERT_EQ(found, model_.By(function)) << name;
    }
    if (!functions_.contains("parts")) return;
    const std::vector<IndexLookup> lookups{{"parts", "v1"}, {"namespace", "ns-2"}, {"parts", "v3"}};
    auto by_part = model_.By(ByParts);
    std::set<const Object*> expected;
    for (const Object* const object : by_part["v1"]) {
      if (object->Namespace() == "ns-2" && by_part["v3"].contains(object)) expected.insert(object);
    }
    ASSERT_EQ(Unique(indexer_.ByIndexes(lookups).value()), expected);
  }

  void AddIndexer(const std::string& name, const IndexFunction& function) {
    ASSERT_TRUE(indexer_.AddIndexer(name, function));
    functions_[name] = function;
  }

  std::mt19937 random_{GetParam()};
  int version_ = 0;
  Indexer indexer_;
  Model model_;
  std::map<std::string, IndexFunction> functions_{
      {"namespace", [](const ObjectPtr& pod) { return Keys{std::string(pod->Namespace())}; }}};
};

TEST_P(IndexerModelTest, EqualsTheModelThroughRandomWrites) {
  for (int step = 0; step <= 800; ++step) {
    SCOPED_TRACE("seed " + std::to_string(GetParam()) + ", step " + std::to_string(step));
    if (step == 100) AddIndexer("node", ByNode);
    if (step == 300) AddIndexer("parts", ByParts);
    if (Below(50) == 0) {
      ReplaceAll();
    } else {
      ApplySome();
    }
    if (!HasFatalFailure()) ExpectSame();
    if (!HasFatalFailure() && step % 10 == 0) ExpectSameIndices();
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexerModelTest, ::testing::Range(1U, 6U));

}  // namespace
}  // namespace kinformer
