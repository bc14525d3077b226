// error: use of deleted|call to deleted
#include <kinformer/informer/shared_informer_factory.h>
#include <kinformer/views/core_v1.h>

std::size_t Length(kinformer::SharedInformerFactory& factory) {
#ifdef WRONG
  const std::string& name = factory.For<kinformer::core::v1::Pod>().Name();
#else
  const auto pods = factory.For<kinformer::core::v1::Pod>();
  const std::string& name = pods.Name();
#endif
  return name.size();
}
