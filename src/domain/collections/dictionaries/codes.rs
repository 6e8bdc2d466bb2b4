//! Enumerations of the exchange standard in camelCase, as several declarations and
//! calculations name them (ADE standard 1.5.1, type enumerations).

pub(crate) const LACTATION_STATUS: &str = "dry|lead|fresh|early|lactating";
pub(crate) const REPRODUCTION_STATUS: &str =
    "open|inseminated|pregnant|notPregnant|birthed|doNotBreed|pregnantMultipleFoetus";
pub(crate) const HEALTH_STATUS: &str = "healthy|suspicious|ill|inTreatment|toBeCulled";
pub(crate) const DEATH_METHOD: &str = "perished|slaughter|culled|theft|lost|accident|euthanized|other";
pub(crate) const DISPOSAL_METHOD: &str = "approvedService|consumption|onPremise|other|cremation|research";
pub(crate) const PREGNANCY_METHOD: &str = "echography|palpation|blood|milk|visual|other";
pub(crate) const WEIGHT_METHOD: &str =
    "loadCell|girth|assessed|walkOver|predicted|imaged|frontEndCorrelated|groupAverage";

pub(crate) const MILKING_REMARKS: &str = "animalSick|milkingIncomplete|teatSeparated|milkedSeparately|samplingFailed";
pub(crate) const DIAGNOSIS_STAGE: &str = "early|acute|subAcute|chronic|acuteOnChronic|endStage|other";
pub(crate) const SET_PURPOSE: &str = "enclosure|feeding|finishing|growing|health|lactation|\
movement|rearing|reproduction|session|other";

/// Exact values: the standard's own spelling, one of them misspelt there.
pub(crate) const RECORDING_PROTOCOL: &str = "A-OfficialMRORepresentative|B-HerdOwnerOrNominee|C-Both";
pub(crate) const RECORDING_SCHEME: &str = "AllMilkingsAtTestday|AllMilkingsInPeriod|OneMilkingAtTestday";
pub(crate) const SAMPLING_MOMENT: &str = "Composite|Morning|Evening";
pub(crate) const SAMPLING_SCHEME: &str = "ProportionalSizeSamplingOfAllMilkings|ConstantSizeSamplingOfAllMilkings|AlternateSampling|CorrectedSampling|OneMilkingSampleInAMS|MulitpleMilkingSampleInAMS";

/// Scopes of grants and links.
pub(crate) const SCOPES: &str = "origin|production|evaluation|documents";

/// Media types of pictures, and of pictures and films, with commas.
pub(crate) const PICTURES: &str =
    "image/jpeg,image/png,image/webp,image/gif,image/avif,image/heif,image/heic,image/bmp,image/tiff";
pub(crate) const PICTURES_AND_FILMS: &str = "image/jpeg,image/png,image/webp,image/gif,image/avif,image/heif,\
image/heic,image/bmp,image/tiff,video/mp4,video/webm";

/// ISO 3166-1 alpha-3 codes.
pub(crate) const ALPHA3: &str = "ABW|AFG|AGO|AIA|ALA|ALB|AND|ARE|ARG|ARM|ASM|ATA|ATF|ATG|AUS|AUT|AZE|\
BDI|BEL|BEN|BES|BFA|BGD|BGR|BHR|BHS|BIH|BLM|BLR|BLZ|BMU|BOL|BRA|BRB|BRN|BTN|BVT|BWA|\
CAF|CAN|CCK|CHE|CHL|CHN|CIV|CMR|COD|COG|COK|COL|COM|CPV|CRI|CUB|CUW|CXR|CYM|CYP|CZE|\
DEU|DJI|DMA|DNK|DOM|DZA|ECU|EGY|ERI|ESH|ESP|EST|ETH|FIN|FJI|FLK|FRA|FRO|FSM|\
GAB|GBR|GEO|GGY|GHA|GIB|GIN|GLP|GMB|GNB|GNQ|GRC|GRD|GRL|GTM|GUF|GUM|GUY|\
HKG|HMD|HND|HRV|HTI|HUN|IDN|IMN|IND|IOT|IRL|IRN|IRQ|ISL|ISR|ITA|JAM|JEY|JOR|JPN|\
KAZ|KEN|KGZ|KHM|KIR|KNA|KOR|KWT|LAO|LBN|LBR|LBY|LCA|LIE|LKA|LSO|LTU|LUX|LVA|\
MAC|MAF|MAR|MCO|MDA|MDG|MDV|MEX|MHL|MKD|MLI|MLT|MMR|MNE|MNG|MNP|MOZ|MRT|MSR|MTQ|MUS|MWI|MYS|MYT|\
NAM|NCL|NER|NFK|NGA|NIC|NIU|NLD|NOR|NPL|NRU|NZL|OMN|PAK|PAN|PCN|PER|PHL|PLW|PNG|POL|PRI|PRK|PRT|PRY|PSE|PYF|\
QAT|REU|ROU|RUS|RWA|SAU|SDN|SEN|SGP|SGS|SHN|SJM|SLB|SLE|SLV|SMR|SOM|SPM|SRB|SSD|STP|SUR|SVK|SVN|SWE|SWZ|SXM|SYC|SYR|\
TCA|TCD|TGO|THA|TJK|TKL|TKM|TLS|TON|TTO|TUN|TUR|TUV|TWN|TZA|UGA|UKR|UMI|URY|USA|UZB|\
VAT|VCT|VEN|VGB|VIR|VNM|VUT|WLF|WSM|YEM|ZAF|ZMB|ZWE";
