"""Words that the names of systems, papers, projects and their people are made of."""

SYSTEM_HEAD = (
    "Agate Apatite Argon Azurite Basalt Beryl Borax Caldera Calcite Cerium Cinnabar Cobalt Corona"
    " Cumulus Diorite Dolomite Ether Feldspar Fjord Fluorite Galena Gneiss Gypsum Halite Helium"
    " Hematite Iodine Jadeite Kyanite Krypton Lithium Magma Malachite Meteor Mica Nebula Neon"
    " Nickel Obsidian Olivine Onyx Osmium Pumice Pyrite Quartz Radon Rutile Schist Selenium Silica"
    " Spinel Talc Tephra Thorium Topaz Tundra Vanadium Xenon Zenith Zircon"
).split()
SYSTEM_USE = (
    "Archive Batch Billing Click Edge Event Feature File Frame Graph Image Job Ledger Log Message"
    " Object Packet Profile Query Search Session Stream Tile Token Vector Video"
).split()
SYSTEM_KIND = (
    "Balancer Broker Cache Compactor Dispatcher Gateway Indexer Joiner Loader Mirror Parser Planner"
    " Proxy Queue Ranker Router Sampler Scheduler Sharder Store Throttler Writer"
).split()
TITLE_HOW = (
    "Adaptive Amortized Bounded Causal Constant-Space Deferred Differential Eager Elastic"
    " Fault-Aware Gradient-Free Hierarchical Incremental Lazy Learned Locality-First Low-Rank"
    " Memory-Bound Probabilistic Quantized Randomized Recurrent Self-Tuned Sparse Speculative"
    " Wait-Free"
).split()
TITLE_WHAT = (
    "Bitmap Consensus Cursor Dialogue Embedding Entropy Epoch Filter Gossip Hash Kernel Lease Lock"
    " Manifold Mesh Page Phoneme Pixel Pointer Quorum Replica Schema Signal Snapshot Sparsity"
    " Tensor Tree Voxel"
).split()
TITLE_DEED = (
    "Alignment Allocation Annealing Batching Clustering Coloring Compression Decoding Distillation"
    " Eviction Forecasting Fusion Hashing Imputation Labeling Migration Partitioning Pooling"
    " Prefetching Pruning Reconciliation Repair Replication Replay Segmentation Traversal"
).split()
BENCH_TAIL = ("bench", "mark", "gauge", "trial", "meter", "scale", "probe", "track")
BENCH_KIND = (
    "Suite",
    "Harness",
    "Challenge",
    "Collection",
    "Battery",
    "League",
    "Circuit",
    "Marathon",
)
DATA_KIND = (
    "Street",
    "Ward",
    "Market",
    "Harbour",
    "Forum",
    "Lecture",
    "Weather",
    "Traffic",
    "Parcel",
    "Herbarium",
)
DATA_TAIL = ("Corpus", "Records", "Recordings", "Atlas", "Album", "Register", "Treebank", "Almanac")
METHOD_KIND = (
    "Greedy",
    "Nested",
    "Pairwise",
    "Cyclic",
    "Lateral",
    "Modular",
    "Planar",
    "Spectral",
    "Tabular",
    "Dual",
)
METHOD_TAIL = (
    "Estimator",
    "Learner",
    "Encoder",
    "Solver",
    "Tagger",
    "Matcher",
    "Smoother",
    "Classifier",
)
# Words that differ by spelling only; kept out of the lists they stand beside.
NEAR_SUFFIX = (
    ("Alpha", "Alfa"),
    ("Kappa", "Cappa"),
    ("Sigma", "Zigma"),
    ("Omicron", "Omikron"),
    ("Gamma", "Gama"),
    ("Lambda", "Lamda"),
)
NEAR_PROJECTS = (
    ("Catalyst", "Katalyst"),
    ("Phoenix", "Fenix"),
    ("Sirius", "Syrius"),
    ("Kronos", "Chronos"),
    ("Calypso", "Kalypso"),
    ("Vector", "Vektor"),
    ("Cipher", "Cypher"),
    ("Helios", "Elios"),
    ("Cygnus", "Signus"),
)
PROJECT_HEAD = (
    "Arctic Autumn Bright Bronze Calm Central Cherry Civic Clear Coastal Common Crimson Crystal"
    " Distant Eastern Emerald Equal Evening Fair Frosty Gentle Golden Hidden Hollow Humble Inland"
    " Iron Kindred Lively Lunar Mellow Mighty Modern Narrow Noble Northern Olive Paper Patient"
    " Polar Purple Quiet Rapid Royal Rustic Scarlet Serene Silent Silver Simple Solar Southern"
    " Steady Sturdy Swift Tidal Upper Urban Vivid Western Winter Woven Yellow Zealous"
).split()
PROJECT_TAIL = (
    "Anchor Antelope Badger Beacon Bison Bridge Canopy Canyon Caravan Castle Cedar Comet Condor"
    " Cormorant Dolphin Engine Ferry Gazelle Glacier Gondola Harvest Horizon Ibex Island Jaguar"
    " Juniper Kayak Lagoon Lantern Lark Leopard Lighthouse Lynx Magnolia Mammoth Marmot Meadow"
    " Mercury Nightjar Oasis Orchid Otter Panther Pelican Pioneer Prairie Puffin Quilt Raccoon"
    " Ripple Sailor Salmon Sequoia Starling Sycamore Tanager Terrace Toucan Tulip Turbine Voyager"
    " Walrus Waterfall Windmill"
).split()
VENDOR_TAIL = (
    "Freight|Logistics|Instruments|Analytics|Cabling|Robotics|Catering|Foundry|Printworks|Staffing"
    "|Optics|Hydraulics|Surveying|Carpentry|Telecom|Textiles|Glassworks|Machining|Signage|Insurance"
).split("|")
RISK_HOW = (
    "delayed missing untested expired unclear overdue unsigned incomplete contested fragile"
    " unstaffed outsized rejected mislabelled duplicated unlicensed leaking congested miswired"
    " uninsured"
).split()
RISK_WHAT = (
    "building permit|sensor driver|data contract|cable delivery|roof survey|pump order|training"
    " plan|user manual|fire drill|backup generator|crane booking|toll agreement|noise study|paint"
    " shipment|payroll export|badge reader|floor plan|translation|warranty|test rig|ventilation"
    " shaft|water meter|wiring diagram|zoning letter|door supplier|escrow form|gravel"
    " stock|handover checklist|inventory count|landing page|mast foundation|parking deck|rental"
    " fleet|safety audit|solder batch|spare part list|tender file|visitor desk|washroom refit|yard"
    " fence"
).split("|")
# The people who speak in meetings; none of their names is a name that anybody asks for.
SPEAKER_FIRST = (
    "Anouk",
    "Bruno",
    "Chidi",
    "Dagny",
    "Elio",
    "Freya",
    "Goran",
    "Hiro",
    "Ines",
    "Jarek",
    "Kira",
    "Luca",
)
SPEAKER_LAST = (
    "Adeyemi",
    "Brandt",
    "Cho",
    "Duarte",
    "Eriksen",
    "Farrow",
    "Gupta",
    "Haddad",
    "Ito",
    "Jovanovic",
    "Keller",
    "Lund",
)
