#include <array>
#include <atomic>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "src/store/indexer.h"
#include "test/store/store_test_objects.h"

namespace kinformer {
namespace {

using testing::ByNode;
using testing::Erase;
using testing::MakePod;
using testing::Set;

constexpr int kPods = 8;

/// All pods at the same version, all on the node of that version.
std::vector<ObjectPtr> Generation(int number) {
  std::vector<ObjectPtr> pods;
  for (int i = 0; i < kPods; ++i) {
    pods.push_back(MakePod({.name = "p" + std::to_string(i),
                            .node = "n" + std::to_string(number % 3),
                            .version = std::to_string(number)}));
  }
  return pods;
}

/// A list is a snapshot: it has all pods, all of one generation.
::testing::AssertionResult IsOneGeneration(const std::vector<ObjectPtr>& pods) {
  if (pods.size() != kPods) return ::testing::AssertionFailure() << pods.size() << " pods";
  for (const ObjectPtr& pod : pods) {
    if (pod->ResourceVersion() != pods.front()->ResourceVersion()) {
      return ::testing::AssertionFailure() << pod->ResourceVersion() << " beside " << pods.front()->ResourceVersion();
    }
  }
  return ::testing::AssertionSuccess();
}

TEST(IndexerConcurrencyTest, ReadersSeeWholeTransactionsOnly) {
  Indexer indexer;
  ASSERT_TRUE(indexer.AddIndexer("node", ByNode));
  ASSERT_TRUE(indexer.Replace(Generation(0), "0"));
  std::atomic<bool> done{false};
  std::atomic<int> rounds{0};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        EXPECT_TRUE(IsOneGeneration(indexer.List()));
        EXPECT_TRUE(IsOneGeneration(indexer.ListNamespace("default")));
        for (const std::string node : {"n0", "n1", "n2"}) {
          const auto on_node = indexer.ByIndex("node", node).value();
          if (!on_node.empty()) {
            EXPECT_TRUE(IsOneGeneration(on_node));
          }
          const std::array lookups{IndexLookup{"node", node}, IndexLookup{"namespace", "default"}};
          const auto in_both = indexer.ByIndexes(lookups).value();
          if (!in_both.empty()) {
            EXPECT_TRUE(IsOneGeneration(in_both));
          }
        }
        EXPECT_EQ(indexer.IndexValues("node").value().size(), 1U);
        EXPECT_NE(indexer.Get("default", "p3"), nullptr);
        EXPECT_EQ(indexer.Size(), std::size_t{kPods});
        ++rounds;
      }
    });
  }
  for (int number = 1; number <= 300 || rounds < 20; ++number) {
    std::vector<ObjectPtr> pods = Generation(number);
    if (number % 7 == 0) {
      EXPECT_TRUE(indexer.Replace(std::move(pods), std::to_string(number)));
      continue;
    }
    std::vector<internal::Delta> writes;
    for (const ObjectPtr& pod : pods) {
      if (number % 3 == 0) writes.push_back(Erase(pod));
      writes.push_back(Set(pod));
    }
    EXPECT_TRUE(indexer.Apply(writes));
  }
  done = true;
}

TEST(IndexerConcurrencyTest, IndicesAddedWhileTheWriterRunsAreComplete) {
  Indexer indexer;
  ASSERT_TRUE(indexer.Replace(Generation(0), "0"));
  std::atomic<int> added{0};
  std::vector<std::jthread> adders;
  for (int adder = 0; adder < 2; ++adder) {
    adders.emplace_back([&, adder] {
      for (int i = 0; i < 10; ++i) {
        const std::string name = std::to_string(adder) + "/" + std::to_string(i);
        EXPECT_TRUE(indexer.AddIndexer(name, ByNode));
        std::size_t found = 0;
        const std::vector<std::string> nodes = indexer.IndexValues(name).value();
        for (const std::string& node : nodes) found += indexer.ByIndex(name, node).value().size();
        EXPECT_LE(found, 3 * std::size_t{kPods});
        ++added;
      }
    });
  }
  for (int number = 1; number <= 100 || added < 20; ++number) {
    std::vector<ObjectPtr> pods = Generation(number);
    if (number % 11 == 0) {
      EXPECT_TRUE(indexer.Replace(std::move(pods), std::to_string(number)));
      continue;
    }
    for (const ObjectPtr& pod : pods) {
      const std::array writes{number % 5 == 0 ? Erase(pod) : Set(pod)};
      EXPECT_TRUE(indexer.Apply(writes));
    }
  }
  adders.clear();
  EXPECT_TRUE(indexer.Apply(std::array{Set(MakePod({.name = "extra", .node = "elsewhere"}))}));

  const std::vector<std::string> names = indexer.IndexNames();
  EXPECT_EQ(names.size(), 21U);
  for (const std::string& name : names) {
    if (name == kNamespaceIndex) continue;
    std::size_t filed = 0;
    const std::vector<std::string> nodes = indexer.IndexValues(name).value();
    for (const std::string& node : nodes) {
      const std::vector<ObjectPtr> pods = indexer.ByIndex(name, node).value();
      for (const ObjectPtr& pod : pods) {
        EXPECT_EQ(pod->At("/spec/nodeName").StringOr(""), node);
        EXPECT_EQ(indexer.Get("default", pod->Name()), pod);
        ++filed;
      }
    }
    EXPECT_EQ(filed, indexer.Size()) << name;
  }
}

TEST(IndexerConcurrencyTest, NobodyWaitsForAnIndexFunction) {
  Indexer indexer;
  ASSERT_TRUE(indexer.Replace(Generation(0), "0"));
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::promise<void> writer_entered;
  std::promise<void> adder_entered;
  ASSERT_TRUE(indexer.AddIndexer("slow", [&](const ObjectPtr& pod) {
    if (pod->Name() == "slow") {
      writer_entered.set_value();
      released.wait();
    }
    return Keys{};
  }));
  std::jthread writer([&] { EXPECT_TRUE(indexer.Apply(std::array{Set(MakePod({.name = "slow"}))})); });
  std::jthread adder([&] {
    EXPECT_TRUE(indexer.AddIndexer("slower", [&, first = true](const ObjectPtr&) mutable {
      if (std::exchange(first, false)) {
        adder_entered.set_value();
        released.wait();
      }
      return Keys{"all"};
    }));
  });
  writer_entered.get_future().wait();
  adder_entered.get_future().wait();

  // Both index functions are running: the calls below would deadlock if they waited for them.
  EXPECT_TRUE(IsOneGeneration(indexer.List()));
  EXPECT_EQ(indexer.Get("default", "slow"), nullptr);
  EXPECT_TRUE(indexer.AddIndexer("node", ByNode));
  EXPECT_TRUE(IsOneGeneration(indexer.ByIndex("node", "n0").value()));
  EXPECT_FALSE(indexer.ByIndex("slower", "all"));

  release.set_value();
  writer.join();
  adder.join();
  EXPECT_NE(indexer.Get("default", "slow"), nullptr);
  EXPECT_EQ(indexer.ByIndex("slower", "all").value().size(), kPods + 1U);
}

TEST(IndexerConcurrencyTest, AWriterGetsItsTurnHoweverManyRead) {
  Indexer indexer;
  ASSERT_TRUE(indexer.Replace(Generation(0), "0"));
  std::atomic<bool> done{false};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 6; ++i) {
    readers.emplace_back([&] {
      while (!done) EXPECT_EQ(indexer.List().size(), std::size_t{kPods});
    });
  }
  const ObjectPtr pod = MakePod({.name = "p1", .version = "7"});
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(indexer.Apply(std::array{Set(pod)}));
  done = true;
  readers.clear();
  EXPECT_EQ(indexer.ResourceVersion(), "7");
}

}  // namespace
}  // namespace kinformer
